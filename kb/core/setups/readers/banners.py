"""Lines that programs print by themselves: nvidia-smi, llama.cpp's build, NCCL's version, what an engine starts with.

Each kind is looked for only where its plain sign stands in the text. Labels with values are read in `environments.py`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.trees import scalar
from kb.core.versions import as_version

LLAMA = "ggml-org/llama.cpp"
# Builds below this are those of shallow clones, which count the commits that they have.
FIRST_BUILD = 300
MOST = 100


@dataclass(frozen=True)
class Banner:
    """A line of a program: the form that it shows, a plain sign of it, its pattern, and what it says."""

    form: str
    sign: str
    pattern: re.Pattern[str]
    tell: Callable[[re.Match[str], Place, Draft], None]


def read_banners(text: str, name: str, offset: int, draft: Draft) -> bool:
    """Read all such lines of a text; whether there are any."""
    is_read = False
    for banner in BANNERS:
        if banner.sign not in text:
            continue
        for number, match in enumerate(banner.pattern.finditer(text)):
            if number >= MOST:
                break
            place = Place(name, offset + text.count("\n", 0, match.start()))
            banner.tell(match, place, draft)
            draft.add_source(name, banner.form)
            is_read = True
    return is_read


def _smi(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_fact("driver", match[1], place, Rank.RUNNING)
    draft.add_fact("driver_cuda", match[2], place, Rank.RUNNING)


def _smi_gpu(match: re.Match[str], place: Place, draft: Draft) -> None:
    name = match[1].strip().lower()
    # An old nvidia-smi cuts long names.
    if not name.endswith(".."):
        draft.add_fact("gpu", name, place, Rank.INSTALLED)


def _llama(match: re.Match[str], place: Place, draft: Draft) -> None:
    number = next(group for group in match.groups() if group)
    build = number if int(number) >= FIRST_BUILD else None
    draft.add_package(LLAMA, build, place, Rank.RUNNING)
    draft.add_fact("engine", "llama.cpp", place)


def _llama_archive(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_package(LLAMA, match[1], place, Rank.IMAGE)


def _llama_device(match: re.Match[str], place: Place, draft: Draft) -> None:
    is_rocm = any(sign in match[0] for sign in ("gfx", "AMD", "Radeon"))
    draft.add_fact("gpu", match[1].strip().lower(), place, Rank.RUNNING)
    draft.add_fact("device", "rocm" if is_rocm else "cuda", place, Rank.RUNNING)
    if not is_rocm:
        draft.add_fact("compute_capability", match[2], place, Rank.RUNNING)


def _nccl(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_package("nvidia/nccl", match[1], place, Rank.RUNNING)


def _toolkit(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_fact("cuda_toolkit", match[1], place, Rank.RUNNING)


def _package(package: str) -> Callable[[re.Match[str], Place, Draft], None]:
    def tell(match: re.Match[str], place: Place, draft: Draft) -> None:
        draft.add_package(package, match[1].rstrip(".,"), place, Rank.RUNNING)

    return tell


def _torch(match: re.Match[str], place: Place, draft: Draft) -> None:
    """A version with PyTorch's local part, alone on its line, as a script prints it."""
    draft.add_package("torch", match[1], place, Rank.INSTALLED)


PAIR = re.compile(r"'?([a-z]\w{1,60})'?(?:=|: )('[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|[^\s,()\[\]{}]{1,100})")
SKIPPED = {"None", "<class", "<function"}


def _arguments(kind: str, *, is_whole: bool) -> Callable[[re.Match[str], Place, Draft], None]:
    """The arguments that an engine prints when it starts."""

    def tell(match: re.Match[str], place: Place, draft: Draft) -> None:
        for pair in PAIR.finditer(match["arguments"]):
            value = scalar(pair[2].strip("'\"").removeprefix("torch."))
            if pair[2] not in SKIPPED and value is not None:
                draft.add_setting(kind, pair[1], value, place, Rank.RUNNING)
        if is_whole:
            draft.read_kinds.add(kind)
        draft.add_fact("engine", kind, place)
        draft.programs.add(kind)

    return tell


def _vllm_engine(match: re.Match[str], place: Place, draft: Draft) -> None:
    if match["version"]:
        draft.add_package("vllm", match["version"], place, Rank.RUNNING)
    if match["v1"]:
        draft.add_fact("vllm_engine", "v1", place, Rank.RUNNING)
    _arguments("vllm", is_whole=False)(match, place, draft)


BACKENDS = {"flashinfer": "flashinfer", "xformers": "xformers", "torch sdpa": "sdpa"}


def _backend(match: re.Match[str], place: Place, draft: Draft) -> None:
    word = match[1].lower()
    attention = "flash_attn" if word.startswith(("flash a", "flasha")) else BACKENDS.get(word)
    if attention:
        draft.add_fact("attention", attention, place, Rank.RUNNING)


def _zero_stage(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_fact("zero_stage", int(match[1]), place, Rank.RUNNING)


def _unsloth(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_package("unsloth", match[1], place, Rank.RUNNING)
    draft.add_package("transformers", match[2], place, Rank.RUNNING)


def _unsloth_torch(match: re.Match[str], place: Place, draft: Draft) -> None:
    draft.add_package("torch", match[1], place, Rank.RUNNING)
    draft.add_fact("compute_capability", match[2], place, Rank.RUNNING)
    draft.add_fact("cuda_toolkit", match[3], place, Rank.RUNNING)


def _megatron(match: re.Match[str], place: Place, draft: Draft) -> None:
    """Megatron prints all its arguments: dots between name and value."""
    value = scalar(match[2])
    if value is not None:
        draft.add_setting("megatron", match[1], value, place, Rank.RUNNING)


def _torch_build(match: re.Match[str], place: Place, draft: Draft) -> None:
    """The summary of `torch.__config__.show()`."""
    options = dict(re.findall(r"\b([A-Z][A-Z_]{2,40})=([^\s,]{1,60})", match[1]))
    words = {"ON": True, "1": True, "OFF": False, "0": False}
    if options.get("USE_DISTRIBUTED") in words:
        draft.add_fact("torch_distributed", words[options["USE_DISTRIBUTED"]], place, Rank.RUNNING)
    if "TORCH_VERSION" in options:
        draft.add_package("torch", options["TORCH_VERSION"], place, Rank.RUNNING)
    if as_version(options.get("CUDA_VERSION", "")) is not None:
        draft.add_fact("cuda", options["CUDA_VERSION"], place, Rank.RUNNING)
    if options.get("USE_CUDA") == "OFF" and options.get("USE_ROCM", "OFF") == "OFF":
        draft.add_fact("cpu_only", True, place, Rank.RUNNING)


ARGUMENTS = r"(?P<arguments>[^\n]{0,12000})"
BANNERS = (
    Banner(
        "nvidia-smi",
        "NVIDIA-SMI",
        re.compile(
            r"NVIDIA-SMI\s{1,4}[\d.]{3,20}\s{1,30}(?:KMD |Driver )Version:\s{1,4}([\d.]{3,20})\s{1,30}"
            r"CUDA Version:\s{1,4}(\d{1,2}\.\d{1,2})"
        ),
        _smi,
    ),
    Banner(
        "nvidia-smi",
        "NVIDIA-SMI",
        re.compile(
            r"^\|\s{1,5}\d{1,2}\s{1,3}((?:NVIDIA|Tesla|GeForce|Quadro|RTX|A\d|H\d)[^|\n]{0,40}?)\s{1,20}(?:On|Off)\s",
            re.MULTILINE,
        ),
        _smi_gpu,
    ),
    Banner(
        "llama.cpp build",
        "build",
        re.compile(
            r"^[^\n]{0,60}?\bbuild(?: = |: )(?:build = )?(?:(\d{1,5}) \([0-9a-f]{6,40}|[0-9a-f]{6,40} \((\d{1,5})\))",
            re.MULTILINE,
        ),
        _llama,
    ),
    Banner(
        "llama.cpp build",
        "version",
        re.compile(r"^[^\n]{0,60}?\bversion: (\d{1,5}) \((?:[0-9a-f]{6,40}|unknown)\)", re.MULTILINE),
        _llama,
    ),
    Banner("llama.cpp build", "llama", re.compile(r"\bllama(?:\.cpp|-cpp)?[-/ ]b(\d{4,5})\b"), _llama_archive),
    Banner(
        "llama.cpp build",
        "compute capability",
        re.compile(r"Device \d{1,2}: ([^\n,]{3,80}), [^\n]{0,30}?compute capability (\d{1,2}\.\d)"),
        _llama_device,
    ),
    Banner("NCCL log", "NCCL version", re.compile(r"NCCL version (\d\.\d{1,2}\.\d{1,2})(?:\+cuda)?"), _nccl),
    Banner("NCCL log", "nccl==", re.compile(r"using nccl==(\d\.\d{1,2}\.\d{1,2})"), _nccl),
    Banner(
        "nvcc", "Cuda compilation tools", re.compile(r"Cuda compilation tools, release (\d{1,2}\.\d{1,2})"), _toolkit
    ),
    Banner(
        "engine log",
        "LLM engine",
        re.compile(
            r"Initializing an? (?P<v1>V1 )?LLM engine (?:\(v(?P<version>[\w.+]{1,60})\) )?with config:? ?" + ARGUMENTS
        ),
        _vllm_engine,
    ),
    Banner(
        "engine log",
        "vLLM API server version",
        re.compile(r"vLLM API server version (\d[\w.+]{1,60})"),
        _package("vllm"),
    ),
    Banner(
        "engine log",
        "non-default args: {",
        re.compile(r"non-default args: \{" + ARGUMENTS),
        _arguments("vllm", is_whole=True),
    ),
    Banner(
        "engine log",
        "args: Namespace(",
        re.compile(r"args: Namespace\((?=[^\n]{0,4000}gpu_memory_utilization)" + ARGUMENTS),
        _arguments("vllm", is_whole=True),
    ),
    Banner(
        "engine log",
        "server_args=ServerArgs(",
        re.compile(r"server_args=ServerArgs\(" + ARGUMENTS),
        _arguments("sglang", is_whole=True),
    ),
    Banner(
        "engine log",
        " backend",
        re.compile(r"INFO [^\n]{0,80}Using (Flash ?Attention|FlashInfer|XFormers|Torch SDPA)[-\w ]{0,12} backend"),
        _backend,
    ),
    Banner(
        "DeepSpeed log",
        "zero_optimization_stage",
        re.compile(r"\bzero_optimization_stage \.{3,60} (\d)\b"),
        _zero_stage,
    ),
    Banner(
        "DeepSpeed log",
        "DeepSpeed info: version=",
        re.compile(r"DeepSpeed info: version=(\d[\w.+]{1,40})"),
        _package("deepspeed"),
    ),
    Banner(
        "Unsloth log",
        "Unsloth ",
        re.compile(r"Unsloth (?:Zoo )?(20\d\d\.\d{1,2}[\w.]{0,20}): [^\n]{0,80}?Transformers: (\d[\w.]{2,30})"),
        _unsloth,
    ),
    Banner(
        "Unsloth log",
        "CUDA Toolkit: ",
        re.compile(r"Torch: (\d[\w.+]{2,30})\. CUDA: (\d{1,2}\.\d)\. CUDA Toolkit: (\d{1,2}\.\d)"),
        _unsloth_torch,
    ),
    Banner(
        "Megatron arguments",
        "tensor_model_parallel_size .",
        re.compile(r"^[^\n]{0,40}?\b([a-z][a-z0-9_]{1,60}) \.{3,60} (\S[^\n]{0,200})$", re.MULTILINE),
        _megatron,
    ),
    Banner("torch build", "Build settings:", re.compile(r"Build settings: ([^\n]{1,4000})"), _torch_build),
    Banner(
        "printed version",
        "+",
        re.compile(r"^\s{0,8}'?(\d\.\d{1,2}\.\d{1,2}\+(?:cu\d{2,3}|cpu|rocm\d\.\d(?:\.\d)?))'?\s{0,8}$", re.MULTILINE),
        _torch,
    ),
)
