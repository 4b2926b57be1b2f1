"""A release's `DATA.md`: the meaning of every column and key of its tables."""

from collections.abc import Mapping, Sequence

from labeling.releases.quality import GOLD_COLUMNS, REPEAT_COLUMNS, RESULT_COLUMNS
from labeling.releases.state import State
from labeling.releases.tables import VOTE_COLUMNS
from labeling.selectors.coding import coding_axis
from labeling.selectors.coding_rows import CODE_COLUMNS


def _about(columns: Sequence[str], **own: str) -> dict[str, str]:
    """The words about these columns: those of labels, unless the table has its own."""
    return {name: own.get(name) or ABOUT_LABELS[name] for name in columns}


ABOUT_LABELS = {
    "issue": "The report's address; for an item of the project's own that has none, `item:` and its id.",
    "axis": "Code of the question; `codebook.json` has its words.",
    "nodes": "Codes of the answer's categories, or the step of a scale. Separated by `|` in CSV; a list in JSON.",
    "number": "The answer, where the question is answered with a number.",
    "report_does_not_tell": "The answer is that the report does not say.",
    "how": "What settled it: `unanimous`, `majority`, `discussion` or `adjudication`.",
    "votes": "How many voted, each blind to the others unless `is_from_file`.",
    "support": "How many of them gave exactly this answer.",
    "agreement": "The share of pairs of votes that are equal, 0 to 1; empty with fewer than two votes.",
    "posts": "How many contributions the discussion had.",
    "revised": "How many changed their answer in it. The blind votes stay as they were.",
    "cause": "Why the votes differed, in the adjudicator's eyes; empty without one.",
    "reason": "The adjudicator's reason.",
    "round": "Number of the round; `data/rounds.json` describes it.",
    "is_from_file": "The votes were cast elsewhere and came from a file: how independent they are is not known.",
    "codebook": "Version of the codebook that was voted by.",
    "decided_on": "Day of the decision, in UTC.",
}
ABOUT_VOTES = _about(
    VOTE_COLUMNS,
    annotator="A pseudonym, the same in all releases of the project.",
    text=(
        "The answer, where the question is answered in words. Texts are not compared and not decided on, so that they "
        "are in no other table."
    ),
    confidence="How sure the annotator was of the vote as a whole: 1 unsure, 2 fairly sure, 3 sure.",
    seconds=(
        "How long the annotator worked on the issue, pauses left out, in seconds; the same on all lines of a vote. 0 "
        "where it was not measured, as in a file."
    ),
    is_assisted=(
        "Whether the ballot showed a model's answers; `METHOD.md` says whose. Such votes count for decisions, and for "
        "no measure of agreement."
    ),
    evidence=(
        "Passages that the answer rests on, as places without their words. In CSV `title:0-12|*body:40-52`: the part "
        "of the text, the first character and the one behind the last, counted from 0 in Unicode code points; a star "
        "says that the vote as a whole rests on it, and such a passage stands on each of its lines. In JSON a list of "
        "`axis` (empty for the vote as a whole), `part`, `start` and `end`."
    ),
    text_sha256=(
        "Hash of the frozen text in which the places are: SHA-256 of the text as JSON with sorted keys and no blanks, "
        "in UTF-8. The same text has the same hash in all releases."
    ),
)
ABOUT_READERS = _about(
    ("round", "reader", "assists", "issue", "axis", "nodes", "text", "report_does_not_tell"),
    reader="Name and version of a model: no person, and none of the annotators.",
    assists="Whether ballots of the round showed its answers.",
    text="The answer, where the question is answered with a number or in words.",
)
ABOUT_GOLD = _about(
    GOLD_COLUMNS,
    reason="How the answer is known to be right.",
    given_by="Who gave it, by pseudonym: somebody who did not label the round.",
    before_opening="It was given before the round opened, and so before anybody voted.",
)
ABOUT_REPEATS = _about(
    REPEAT_COLUMNS,
    annotator=ABOUT_VOTES["annotator"],
    text="The answer, where the question is answered in words.",
    due_after="After how many of the annotator's votes in the round the issue was due again, at the earliest.",
    seconds="How long the annotator worked on it this time, pauses left out, in seconds; 0 where not measured.",
)
ABOUT_RESULTS = _about(
    RESULT_COLUMNS,
    annotator="A pseudonym, or `all` for everybody's answers together.",
    check="`gold`: votes against gold answers. `repeat`: an annotator's second answers against the first.",
    compared="How many answers were compared. What would need at least 5 of them is empty below that.",
    same="How many of them are exactly equal.",
    share="`same` of `compared`.",
    share_low="Lower bound of Wilson's 95 % interval of the share.",
    share_high="Upper bound of it.",
    distance="On a scale the mean distance in steps, of numbers the mean difference; empty for other questions.",
    alpha="Krippendorff's alpha of first and second answers, with the distance that fits the question.",
    alpha_low="Lower bound of its 95 % bootstrap interval over issues.",
    alpha_high="Upper bound of it.",
    kappa="Cohen's kappa of first and second answers.",
    kappa_low="Lower bound of its 95 % bootstrap interval over issues.",
    kappa_high="Upper bound of it.",
    seconds_first="Median seconds of the votes whose issues were answered again; the same on all lines of a person.",
    seconds_again="Median seconds of the second answers.",
    skipped="How many issues the annotator skipped when they came again.",
)
ABOUT_CODES = _about(
    CODE_COLUMNS,
    annotator=ABOUT_VOTES["annotator"],
    code="The open code as the annotator typed it.",
    memo="What the annotator wrote beside it; empty without.",
    merged_into="The code that leads merged it into, as the board calls that; empty where it is merged into none.",
    node="Code of the board's node that it is in; empty for none. `coding/nodes.json` has the nodes.",
)


def files(state: State) -> dict[str, bytes]:
    """File name -> content."""
    parts = [
        "# Data dictionary",
        "All files are in UTF-8. An empty cell, or null in JSON, is “not stated”. In CSV a text that a spreadsheet "
        "would run as a formula has an apostrophe before it.",
        _table("`votes/votes.csv` and `votes/votes.jsonl`: one row per issue, annotator and question", ABOUT_VOTES),
        _table("`data/labels.csv`: one row per decided answer", ABOUT_LABELS),
        _table("`data/readers.csv`: one row per answer of a model, where there is one", ABOUT_READERS),
        *_quality(state),
        "## `data/issues.jsonl`: one line per issue\n\n`issue`, and `answers` with the keys of `data/labels.csv`.",
        *_coding(state),
        "## `agreement/matrices/`: one file per round and question\n\nA line for each issue, a column for each "
        "annotator; an empty cell is no vote.",
    ]
    return {"DATA.md": ("\n\n".join(parts) + "\n").encode()}


def _quality(state: State) -> list[str]:
    """The tables of gold answers and repeats, where there are any."""
    if all(each.checks.everybody is None for each in state.rounds):
        return []
    return [
        _table("`quality/gold.csv`: one row per gold answer", ABOUT_GOLD),
        _table("`quality/repeats.csv`: one row per answer that was given a second time", ABOUT_REPEATS),
        _table("`quality/results.csv`: one row per annotator, check and question", ABOUT_RESULTS),
    ]


def _coding(state: State) -> list[str]:
    """The tables of open coding; nothing where the project did not ask for it."""
    if coding_axis(project_id=state.project.pk) is None:
        return []
    return [
        _table("`coding/codes.csv` and `coding/codes.jsonl`: one row per open code, issue and annotator", ABOUT_CODES),
        "## `coding/history.jsonl`: one line per act\n\n`number`, `kind`, `by` (a pseudonym), `on` (day, in UTC), "
        "`undoes` (the number of the act that it takes back), `codebook` and `question` (where it made one), `before` "
        "and `after`: the codes and nodes that it touched; null is a node that is not there.",
        "## `coding/nodes.json`\n\n`board`: the nodes with their codes as they are now. `codebooks`: for each codebook "
        "that was made of the board, the nodes of its new question `axis`, with the codes that were in each.",
    ]


def _table(heading: str, about: Mapping[str, str]) -> str:
    lines = [f"## {heading}\n", "| | |", "|---|---|"]
    for name, words in about.items():
        cell = words.replace("|", "\\|")
        lines.append(f"| `{name}` | {cell} |")
    return "\n".join(lines)
