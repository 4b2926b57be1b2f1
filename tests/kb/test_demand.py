"""The list of wanted faults: what is refused with its line, how it is sorted, and what is merged."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from kb.starter.demand import as_line, as_text, check_demand, demand_table, merged, read_demand

THREAD = "https://github.com/vllm-project/vllm/issues/{}"
RECORD = THREAD.format(1)


def entry(
    asked: str, *, seen: int = 3, threads: tuple[int, ...] = (7,), framework: str = "vllm", more: str = ""
) -> str:
    listed = ", ".join(map(THREAD.format, threads))
    return f'- {{asked: "{asked}", framework: {framework}, kind: hang, seen: {seen}, threads: [{listed}]{more}}}\n'


HANGS = entry("vllm hangs at start with two cards", seen=9, threads=(7, 8))
SLOW = entry("vllm stalls after an hour", threads=(9,))
AT_START = entry("hangs at start", more=f", record: {THREAD}").replace("{asked", "{{asked").replace("}\n", "}}\n")


def problems(path: Path, text: str) -> list[str]:
    file = path / "demand.yaml"
    file.write_text(text, encoding="utf-8")
    answered = {RECORD: RECORD, THREAD.format(2): RECORD}
    checked = check_demand(file, frameworks=["vllm", "sglang"], records=[RECORD], answered=answered)
    return [str(problem).removeprefix(f"{file}:") for problem in checked.problems]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HANGS + SLOW, ""),
        (SLOW + HANGS, "2: is not in order"),
        (entry("sglang hangs", framework="sglng"), "1: framework 'sglng' is not in"),
        (entry("hangs at start", threads=(7, 8, 9, 10)), "1: seen is 3, and 4 threads are named"),
        (HANGS + entry("it stalls later", threads=(8,)), f"2: '{THREAD.format(8)}' stands in entry 1, too"),
        (HANGS + entry("VLLM hangs at start with two cards", threads=(9,)), "2: 'vllm: vllm hangs at start"),
        (AT_START.format(2), f"1: no record has the address {THREAD.format(2)}: write the record that answers it: "),
        (AT_START.format(5), f"1: no record has the address {THREAD.format(5)}: correct it"),
        (entry("hangs at start", more=", colour: red"), "1: the entry has an unknown key 'colour'"),
        (entry("hangs on 10.20.30.40 only"), "1: asked has '10.20.30.40', an IP address"),
        ("asked: 1\n", "1: the file must be a list"),
        ("", ""),
    ],
)  # fmt: skip
def test_each_mistake_is_reported_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    reported = problems(tmp_path, text)
    assert len(reported) == bool(reason)
    assert all(problem.startswith(reason) for problem in reported), reported


def test_the_file_of_the_project_is_fine_and_in_its_own_form() -> None:
    file = read_demand()
    assert not file.problems
    assert as_text(merged(file.entries)) == as_text(file.entries)


def test_entries_for_one_fault_are_merged_by_thread_or_words(tmp_path: Path) -> None:
    path = tmp_path / "demand.yaml"
    chain = entry("stalls late", seen=2, threads=(9, 8)) + entry("Stalls late", seen=5, threads=(10,))
    path.write_text(SLOW + HANGS + chain, encoding="utf-8")
    (whole,) = merged(read_demand(path).entries)
    assert (whole.asked, whole.seen) == ("vllm hangs at start with two cards", 9)
    assert set(whole.threads) == {THREAD.format(number) for number in (7, 8, 9, 10)}


def test_the_command_adds_sorts_and_writes_what_it_reads_again(tmp_path: Path) -> None:
    path, more = tmp_path / "demand.yaml", tmp_path / "more.yaml"
    path.write_text(SLOW, encoding="utf-8")
    more.write_text(HANGS + entry('stalls: \\"why\\" 卡住', threads=(12,)), encoding="utf-8")
    out = StringIO()
    call_command("sort_demand", more, list=path, stdout=out)
    assert [row.threads[0][-2:] for row in read_demand(path).entries] == ["/7", "12", "/9"]
    assert '"stalls: \\"why\\" 卡住"' in path.read_text(encoding="utf-8")
    assert problems(tmp_path, path.read_text(encoding="utf-8")) == []
    assert out.getvalue().startswith("3 entries, 0 merged")
    more.write_text("- {asked: no}", encoding="utf-8")
    with pytest.raises(CommandError, match=r"more\.yaml:1"):
        call_command("sort_demand", more, list=path)


def test_the_table_counts_what_no_record_answers(tmp_path: Path) -> None:
    path = tmp_path / "demand.yaml"
    path.write_text(HANGS + SLOW, encoding="utf-8")
    entries = read_demand(path).entries
    lines = list(demand_table(entries, answered={THREAD.format(8)}))
    assert lines[0] == "2 faults that people ask about: 1 answered, 1 wanted"
    assert lines[-1] == f"  3  vllm: vllm stalls after an hour  {THREAD.format(9)}"
    assert as_line(entries[0]).startswith('{asked: "vllm hangs at start with two cards", line: "", framework: vllm')
