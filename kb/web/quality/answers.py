"""The short answers: one sentence for each thing that was measured, from the figures as they are."""

from dataclasses import dataclass

from kb.core.quality.figures import OURS, Subject, figure
from kb.core.quality.published import About, rows_about
from kb.web.quality.tables import as_written, interval_of


@dataclass(frozen=True)
class Answer:
    """A sentence, and where its table is."""

    slug: str
    question: str
    sentence: str


def answers() -> tuple[Answer, ...]:
    """All of them, in the order of the tables."""
    return (
        Answer("lines", "Does a diagnosis name the line that failed?", _lines()),
        Answer("nodes", "Does it name the faulty node?", _nodes()),
        Answer("alarms", "Does it raise false alarms?", _alarms()),
        Answer("levels", "Is it enough to look for ERROR?", _levels()),
        Answer("known-issues", "Does it find the known issue?", _known_issues()),
        Answer("ranking", "Does search put the right issue on top?", _search()),
        Answer("questions", "Does it answer what people ask?", _questions()),
        Answer("labels", "Can the labels be trusted?", _labels()),
        Answer("suggestions", "Can suggestions by rules be trusted?", _suggestions()),
    )


def _told(of: Subject, name: str, among: str = "") -> str:
    """`87 % (76–93 %, n = 67)`."""
    found = figure(of=of, name=name, among=among)
    return f"{as_written(found)} ({interval_of(found)}, n\u00a0=\u00a0{found.n:,})"


def _value(of: Subject, name: str, among: str = "", by: str = OURS) -> str:
    return as_written(figure(of=of, name=name, among=among, by=by))


def _published(about: About, name: str) -> float:
    """What L4 reports: its row is the first of each kind."""
    _, row = rows_about(about)[0]
    return row.figures[name]


def _lines() -> str:
    first, f1 = _told("diagnosis", "hit_1"), _told("diagnosis", "f1")
    rules, errors = (_value("diagnosis", "hit_1", by=by) for by in ("nvidia_rules", "first_error"))
    return (
        f"On failed runs held out from all tuning, the line that it names first shows the failure in {first}; by "
        f"NVIDIA’s rules it does in {rules}, and the first line that says error in {errors}. F1 over all lines that it "
        f"names is {f1}; L4 reports {_published('lines', 'f1'):.3f} on data of its own."
    )


def _nodes() -> str:
    held_out, several = _told("diagnosis", "node_top_1"), _told("diagnosis", "node_top_1", "several_nodes")
    return (
        f"It is the first suspect in {held_out} on held-out logs: too few to say more. Where logs name several nodes, "
        f"in {several}, but most of these were made up or tuned on. L4 reports "
        f"{100 * _published('nodes', 'node_top_1'):.1f} % on far larger jobs."
    )


def _alarms() -> str:
    alarm, cancelled = (_told("diagnosis", name, "real") for name in ("false_alarm", "cancelled_alarm"))
    held_out, held_out_cancelled = (_told("diagnosis", name) for name in ("false_alarm", "cancelled_alarm"))
    return (
        f"A real run that did not fail is called failed in {alarm}, a cancelled one in {cancelled}; most of these logs "
        f"were tuned on. Of held-out ones: {held_out} and {held_out_cancelled}."
    )


def _levels() -> str:
    jobs, below = _told("diagnosis", "job_without_error"), _told("diagnosis", "below_error_share")
    return (
        f"No: {jobs} of real failed runs log no failure line at ERROR or above, and "
        f"{_value('diagnosis', 'level_none')} of distinct failure lines have no level at all. Of those that have one, "
        f"{below} are below ERROR; L4 reports {100 * _published('levels', 'below_error_share'):.1f} %."
    )


def _known_issues() -> str:
    own, without = (_told("known_issues", f"{name}_first_three") for name in ("own_line", "without_line"))
    return (
        f"Asked for by its own error line, a record is among the first three in {own}, and with that line taken out of "
        f"it in {without}. Another record is called the same error in {_told('known_issues', 'same_error_as_another')}."
    )


def _search() -> str:
    peers = [figure(of="search", name="ndcg_10", by=by) for by in ("tantivy", "fts5")]
    better = as_written(max(peers, key=lambda one: one.value))
    return (
        f"On queries kept aside from tuning, nDCG@10 is {_told('search', 'ndcg_10')}; the better of two plain engines "
        f"over the same texts reaches {better}. The first result answers {_told('search', 'success_1')}."
    )


def _questions() -> str:
    answered, known = _told("questions", "answered"), _told("questions", "answered", "unseen_known")
    earlier = _told("questions", "answered", "practitioners")
    return (
        f"Seldom, where nobody had seen the questions before: {answered} of these are answered by the first three "
        f"results or the answer above them, {known} of those with a known answer, and "
        f"{_value('questions', 'answered_or_helped')} are answered or helped. Of a first, easier set it was {earlier}."
    )


def _labels() -> str:
    cause, symptom = (_told("labels", "same_answer", axis) for axis in ("root_cause", "symptom"))
    alpha, other = (_value("labels", "alpha", axis) for axis in ("root_cause", "symptom"))
    return (
        f"They are a beginning: two automated readers gave the same root cause to {cause} of the records (alpha "
        f"{alpha}) and the same symptom to {symptom} (alpha {other}). No people have compared them yet."
    )


def _suggestions() -> str:
    symptom, component = (_told("suggestions", "right", axis) for axis in ("symptom", "component"))
    return (
        f"Of those read on issues that no rule was made from, {symptom} of the symptoms were right and {component} of "
        "the components."
    )
