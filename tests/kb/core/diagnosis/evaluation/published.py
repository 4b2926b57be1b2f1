"""What readers of the site are told of the evaluation: its measures as the figures of `kb/core/quality`."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.quality.figures import OF_LOGS, OURS, Figure, Measured, share
from tests.kb.core.diagnosis.evaluation import levels
from tests.kb.core.diagnosis.evaluation.corpus import HELD_OUT, OPEN
from tests.kb.core.diagnosis.evaluation.measures import Answer, Tally, judged, tally
from tests.kb.core.diagnosis.evaluation.methods import nodes_of
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, Truth

SYNTHETIC = "synthetic"
# The measures that are told, as the evaluation names them.
TOLD = (
    "hit@1", "hit@5", "F1", "F1 events", "precision", "recall",
    "node top-1", "node top-3", "node top-5", "node top-8", "rank top-1", "rank top-3",
    "verdict", "stage", "iteration", "symptom", "cause top-1", "cause top-3", "false alarm", "cancelled alarm",
)  # fmt: skip
METHODS = {
    "Faultbook": OURS, "NVIDIA's rules": "nvidia_rules", "first error line": "first_error",
    "last error line": "last_error", "Isolation Forest": "isolation_forest",
    "PyTorch's analyser": "pytorch_analyser", "rarest Drain template": "rare_template",
    "Drain + healthy runs": "new_template",
}  # fmt: skip
# Whose logs a set has.
REAL, JUDGED, DUMPED = "real", "judged", "dumps"
# A job whose logs name one node cannot be diagnosed wrongly there.
SEVERAL_NODES, SINGLE_NODE, OF_NODES = "several_nodes", "single_node", "node_"


def slug(measure: str) -> str:
    """`hit@1` as a name without signs: `hit_1`."""
    return measure.lower().replace("@", "_").replace(" ", "_").replace("-", "_")


def sets(truths: Sequence[Truth]) -> dict[str, list[Truth]]:
    """The jobs of each set; they overlap. `judged`: those that the shared data holds, `open` and `held_out`: ours."""
    return {
        JUDGED: [truth for truth in truths if not truth.part],
        OPEN: [truth for truth in truths if truth.part == OPEN],
        HELD_OUT: [truth for truth in truths if truth.part == HELD_OUT],
        REAL: [truth for truth in truths if truth.source != SYNTHETIC],
        SYNTHETIC: [truth for truth in truths if truth.source == SYNTHETIC],
        DUMPED: [truth for truth in truths if truth.source == DUMPS],
        SEVERAL_NODES: [truth for truth in truths if truth.nodes and len(nodes_of(truth.files)) > 1],
    }


def figures_of(row: Tally, *, among: str, by: str = OURS) -> Iterator[Figure]:
    """Each measure that some job was judged by."""
    for measure in TOLD:
        if n := row.n(measure):
            yield share(slug(measure), row.mean(measure) * n, n, among=among, by=by)


def _of_one_node(jobs: Sequence[Truth], among: str) -> Iterator[Figure]:
    """Of the jobs with a known faulty node, those whose logs name no other."""
    nodes = [len(nodes_of(truth.files)) for truth in jobs if truth.nodes]
    if nodes:
        yield share(SINGLE_NODE, nodes.count(1), len(nodes), among=among, by=OF_LOGS)


def everything(methods: Mapping[str, Mapping[str, Answer]], truths: Sequence[Truth]) -> Measured:
    """The whole file."""
    by_id = {truth.id: truth for truth in truths}
    # A job is in several sets, and judging one with thousands of lines takes long.
    values = {
        name: {job: judged(by_id[job], answer) for job, answer in answers.items()} for name, answers in methods.items()
    }
    figures: list[Figure] = []
    for among, jobs in sets(truths).items():
        for name, known in values.items():
            row = tally(known[truth.id] for truth in jobs if truth.id in known)
            told = figures_of(row, among=among, by=METHODS[name])
            figures += [one for one in told if among != SEVERAL_NODES or one.name.startswith(OF_NODES)]
        if among not in {SYNTHETIC, SEVERAL_NODES}:
            figures += levels.figures(jobs, among)
        figures += _of_one_node(jobs, among)
    version = f"signals {catalogue().version}"
    return Measured(of="diagnosis", measured_on=dt.datetime.now(dt.UTC).date(), version=version, figures=tuple(figures))
