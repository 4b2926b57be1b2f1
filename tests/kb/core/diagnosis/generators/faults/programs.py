"""Programs that are wrong: data they cannot take, shapes, types, vocabularies."""

from tests.kb.core.diagnosis.generators.faults.devices import ASYNC
from tests.kb.core.diagnosis.generators.play import PLAIN, ROOT, SUPPORT, Crash, Play, Say

DATA_EXCEPTION: tuple[Play, ...] = (
    Crash(("KeyError: 'tokens_b64'",), "data"),
    Crash(
        ("ValueError: cannot reshape array of size 4093 into shape (4096,)",),
        "data",
        before=(
            Say("record 88120 of part-0{gpu}3: field lengths differ", "log", SUPPORT, "WARNING", "mixture.py:64:pack"),
        ),
        late=8.0,
        peers="reset",
    ),
    Crash(
        ("IndexError: list index out of range",),
        "data",
        before=(Say("now reading mixture component 4 from epoch 2", "log", PLAIN, "INFO", "mixture.py:31:advance"),),
    ),
)
SHAPE_MISMATCH: tuple[Play, ...] = (
    Crash(
        (
            "RuntimeError: Error(s) in loading state_dict for Decoder:",
            "\tsize mismatch for tok.weight: copying a param with shape torch.Size([32000, 5120]) from checkpoint, the "
            "shape in current model is torch.Size([32064, 5120]).",
        ),
        "load",
        every=True,
        stage="load",
        symptom="launch_failure",
    ),
    Crash(
        (
            "RuntimeError: The size of tensor a (2048) must match the size of tensor b (2049) at non-singleton "
            "dimension 1",
        ),
        every=True,
        stage="first",
        symptom="launch_failure",
    ),
)
DTYPE_MISMATCH: tuple[Play, ...] = (
    Crash(
        ("RuntimeError: expected mat1 and mat2 to have the same dtype, but got: float != c10::BFloat16",),
        every=True,
        stage="first",
        symptom="launch_failure",
    ),
    Crash(
        (
            "RuntimeError: Input type (torch.cuda.HalfTensor) and weight type (torch.cuda.FloatTensor) should "
            "be the same",
        ),
        every=True,
        stage="first",
        symptom="launch_failure",
    ),
)
ASSERT = (
    "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1369: indexSelectLargeIndex: block: [{gpu}41,0,0], thread: "
    "[{thread},0,0] Assertion `srcIndex < srcSelectDimSize` failed."
)
VOCAB_MISMATCH: tuple[Play, ...] = (
    Crash(
        ("RuntimeError: CUDA error: device-side assert triggered", *ASYNC),
        "embedding",
        before=tuple(
            Say(ASSERT.replace("{thread}", str(thread)), "raw", ROOT if thread == 32 else SUPPORT, wait=0.001)
            for thread in range(32, 40)
        ),
        trace=SUPPORT,
        code=-6,
    ),
    Crash(
        ("IndexError: index out of range in self",),
        "embedding",
        before=(
            Say(
                "tokenizer has 128257 entries, embedding has 128256 rows", "log", SUPPORT, "WARNING", "build.py:51:fit"
            ),
        ),
        peers="reset",
    ),
)
