"""What others published is what their study's page says."""

from pathlib import Path

from kb.codebook.load import HERE
from kb.core.quality.published import published, rows_about
from kb.core.yaml_files import read_yaml

FACTS = {
    "Telling log lines: precision / recall / F1 of L4": ("lines", "L4"),
    "Telling log lines: LogAnomaly": ("lines", "LogAnomaly"),
    "Telling log lines: LogRobust": ("lines", "LogRobust"),
    "Telling log lines: NeuralLog": ("lines", "NeuralLog"),
    "Faulty node among the top 1 / 3 / 5 / 8, L4": ("nodes", "L4"),
    "Faulty node, node with the first error": ("nodes", "Error_time"),
    "Faulty node, node with most errors": ("nodes", "Error_count"),
}


def facts() -> dict[str, str]:
    path = Path(HERE) / "studies" / "p4.yaml"
    return {fact["name"]: fact["value"] for fact in read_yaml(path)["facts"]}


def test_rows_are_those_of_the_study() -> None:
    told = facts()
    for name, (about, by) in FACTS.items():
        row = next(row for _, row in rows_about(about) if row.by == by)  # type: ignore[arg-type]
        scale = 100 if told[name].endswith("%") else 1
        numbers = [float(word.strip(" %")) for word in told[name].split("/")]
        assert [round(scale * value, 4) for value in row.figures.values()] == numbers, name


def test_each_row_is_compared() -> None:
    rows = {(row.about, row.by) for one in published() for row in one.rows}
    assert rows == {*FACTS.values(), ("levels", "L4's logs")}
