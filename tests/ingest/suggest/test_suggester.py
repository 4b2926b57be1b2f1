"""What is suggested, and what not: titles before bodies, faults before what follows from them, nothing when unsure."""

import pytest

from ingest.suggest import NodeWords, Suggester, read_rules
from tests.ingest.suggest.examples import codes, house_words, suggest

TRACE = """
```
Traceback (most recent call last):
  File "/app/vllm/worker/worker.py", line 12, in load_model
    raise RuntimeError("no")
{line}
```
"""


class TestIssueType:
    @pytest.mark.parametrize(
        ("title", "labels", "code"),
        [
            ("[Bug]: it stops", (), "bug"),
            ("[Feature]: AWQ on ROCm", (), "requirement"),
            ("Feature Request: a GUI", (), "requirement"),
            ("Something", ("bug",), "bug"),
            ("Something", ("type:bug",), "bug"),
            ("Something", ("feature request", "stale"), "requirement"),
            ("How to run two models?", (), "question"),
            ("请问如何部署多机", (), "question"),
            ("RuntimeError: CUDA error: an illegal memory access", (), "bug"),
        ],
    )
    def test_follows_tags_labels_and_plain_words(self, title: str, labels: tuple[str, ...], code: str) -> None:
        assert codes(title, "", *labels, axis="issue_type") == [code]

    @pytest.mark.parametrize(
        ("title", "body", "labels"),
        [
            ("Llama 2 and server", "", ()),
            ("[Usage]: it stops", TRACE.format(line="ValueError: bad"), ("usage",)),
            ("Something", "", ("stale", "good first issue")),
            ("", "", ()),
        ],
    )
    def test_is_left_open_when_unsure(self, title: str, body: str, labels: tuple[str, ...]) -> None:
        assert codes(title, body, *labels, axis="issue_type") == []

    def test_documentation_may_be_wrong_or_missing_and_is_only_a_component(self) -> None:
        assert codes("[Doc]: the page on LoRA", "", "documentation", axis="issue_type") == []
        assert "docs-examples" in codes("[Doc]: the page on LoRA", "", "documentation", axis="component")


class TestSymptom:
    @pytest.mark.parametrize(
        ("title", "code"),
        [
            ("Server hangs after some requests", "hang"),
            ("Worker stuck in a deadlock", "hang"),
            ("Memory leak in the API server", "memory-growth"),
            ("CUDA OOM with two cards", "oom-gpu"),
            ("Segmentation fault on start", "native-crash"),
            ("Qwen writes gibberish", "wrong-output"),
            ("Loss is NaN", "non-finite"),
            ("模型推理卡住", "hang"),
        ],
    )
    def test_is_what_the_title_says(self, title: str, code: str) -> None:
        assert codes(title, axis="symptom") == [code]

    @pytest.mark.parametrize(
        ("line", "code"),
        [
            ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "oom-gpu"),
            ("RuntimeError: CUDA error: an illegal memory access was encountered", "device-error"),
            ("RuntimeError: NCCL error: unhandled system error", "communication-error"),
            ("ModuleNotFoundError: No module named 'xformers'", "missing-name"),
            ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 3x4)", "shape-mismatch"),
            ("ValueError: 20 is not divisible by 8", "value-rejected"),
            ("IndexError: list index out of range", "exception"),
            ("OSError: x does not appear to have a file named config.json", "load-failure"),
        ],
    )
    def test_is_else_what_an_error_line_says(self, line: str, code: str) -> None:
        assert codes("It does not work", TRACE.format(line=line), axis="symptom") == [code]

    def test_the_title_counts_before_the_body(self) -> None:
        assert codes("Server hangs", TRACE.format(line="ValueError: bad"), axis="symptom") == ["hang"]

    def test_the_body_makes_a_crash_special(self) -> None:
        line = "RuntimeError: CUDA error: misaligned address"
        (found,) = (one for one in suggest("Server crashes", TRACE.format(line=line)) if one.axis == "symptom")
        assert found.node == "device-error"
        assert "“CUDA error”" in found.reason

    def test_what_follows_from_a_failure_is_not_the_failure(self) -> None:
        lines = "torch.OutOfMemoryError: CUDA out of memory.\nRuntimeError: Engine core initialization failed."
        assert codes("Cannot run it", TRACE.format(line=lines), axis="symptom") == ["oom-gpu"]

    def test_of_many_kinds_of_failures_none_is_suggested(self) -> None:
        lines = "KeyError: 'a'\nRuntimeError: NCCL error: x\nOutOfMemoryError: CUDA out of memory\nValueError: y"
        assert codes("Several things", TRACE.format(line=lines), axis="symptom") == []

    @pytest.mark.parametrize("title", ["[Feature]: detect hangs", "[RFC]: no more OOM", "Add support for NaN checks"])
    def test_a_wish_is_told_in_the_words_of_faults_and_has_no_symptom(self, title: str) -> None:
        assert codes(title, TRACE.format(line="ValueError: bad"), axis="symptom") == []

    @pytest.mark.parametrize("title", ["It does not hang any more", "Training without OOM", "Server never crashes"])
    def test_what_is_denied_does_not_count(self, title: str) -> None:
        assert codes(title, axis="symptom") == []

    @pytest.mark.parametrize(
        "line",
        [
            "WARNING 06-01 [x.py:1] ImportError: no flash attention, using another",
            "UserWarning: KeyError: x is deprecated",
            'raise ValueError("bad")',
            "INFO: retried after RuntimeError: NCCL error",
        ],
    )
    def test_a_warning_or_a_line_of_code_names_no_failure(self, line: str) -> None:
        assert codes("Something is odd", f"```\n{line}\n```", axis="symptom") == []


class TestPlaces:
    def test_a_forms_words_do_not_count(self) -> None:
        form = "### Describe the bug if it hangs or crashes\n\nIt is green.\n\n- [x] I checked that it hangs"
        assert codes("The colour", form, axis="symptom") == []

    def test_a_title_that_the_form_put_there_is_none(self) -> None:
        assert suggest("[User] Insert summary of your issue or enhancement..") == ()

    def test_the_form_tells_what_kind_of_report_it_is(self) -> None:
        assert codes("Anything", "### 🐛 Describe the bug\n\nIt is green.", axis="issue_type") == ["bug"]

    def test_an_environment_dump_names_no_component(self) -> None:
        dump = "PyTorch version: 2\nIs debug build: False\nCUDA used to build PyTorch: 12\n[pip3] flashinfer==1\n"
        assert codes("Anything", f"```\n{dump}```", axis="component") == []


class TestComponentAndStage:
    @pytest.mark.parametrize(
        ("title", "labels", "code"),
        [
            ("LoRA adapters are mixed up", (), "peft"),
            ("Anything", ("speculative-decoding",), "speculative-decoding"),
            ("xgrammar accepts a wrong JSON schema", (), "structured-output"),
            ("CUDA graph capture fails", (), "cuda-graphs"),
        ],
    )
    def test_a_part_is_named_by_title_or_label(self, title: str, labels: tuple[str, ...], code: str) -> None:
        assert code in codes(title, "", *labels, axis="component")

    @pytest.mark.parametrize(
        ("title", "code"),
        [
            ("[Installation]: pip install does not work", "install"),
            ("convert-hf-to-gguf.py fails", "convert"),
            ("[CI Failure]: quantization test", "develop"),
        ],
    )
    def test_a_stage_is_named_by_the_title(self, title: str, code: str) -> None:
        assert codes(title, axis="stage") == [code]

    def test_a_stage_is_else_where_the_failing_call_was(self) -> None:
        assert codes("Oh no", TRACE.format(line="ValueError: bad"), axis="stage") == ["engine-start"]


class TestReasons:
    def test_say_where_the_words_stand_and_quote_them(self) -> None:
        (found,) = (one for one in suggest("Server HANGS", "", "bug") if one.axis == "symptom")
        assert found.reason == "The title says “HANGS”."
        (kind,) = (one for one in suggest("Server HANGS", "", "bug") if one.axis == "issue_type")
        assert kind.reason.startswith("Its label on the host is “bug”")

    def test_the_general_gives_way_to_the_special(self) -> None:
        found = codes("Hang: NCCL timeout in all_reduce", axis="symptom")
        assert found == ["hang-collective"]


class TestCompiling:
    def test_a_rule_for_a_node_out_of_use_is_left_out_and_named(self) -> None:
        words = [node for node in house_words() if node.code != "hang"]
        found = Suggester(words)
        assert "symptom/title-hang" in found.unplaced
        assert [one.node for one in found.suggest("It hangs", "") if one.axis == "symptom"] == []

    def test_every_rule_suggests_a_node_of_the_house_codebook(self) -> None:
        assert Suggester(house_words()).unplaced == []

    def test_a_node_that_was_voted_in_is_suggested_by_its_aliases(self) -> None:
        new = NodeWords("component", "telemetry", "Telemetry", ("usage beacon",))
        found = Suggester([*house_words(), new]).suggest("The usage beacon is broken", "")
        assert "telemetry" in [one.node for one in found]

    def test_every_silent_word_is_a_name_or_an_alias(self) -> None:
        for axis in read_rules().axes:
            known = {word.lower() for n in house_words() if n.axis == axis.axis for word in (n.name, *n.aliases)}
            silent = {word.lower() for some in axis.aliases for word in some.silent}
            assert silent <= known, sorted(silent - known)

    def test_every_rule_says_why(self) -> None:
        for axis in read_rules().axes:
            assert all(rule.why for rule in axis.rules)
