"""A project's axes, and those that a new project can choose from: the house codebook's, and a published study's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Q, QuerySet

from kb.models import Axis, Node, Scheme
from labeling.models import IN_WORDS, AxisKind, Codebook, NodeVersion, ProjectAxis, Vote
from labeling.questions import Kind, PlannedNode, Question, is_kind
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.wordings import Wording


def axis_names(*, project_id: int) -> dict[str, str]:
    """Axis code -> name, in the project's order."""
    axes = ProjectAxis.objects.filter(project=project_id).order_by("position")
    return dict(axes.values_list("code", "name"))


def settled_by(codebook: OuterRef) -> Q:
    """The axes on which an item is settled, by the number of its round's codebook: answers in words are not."""
    return ~Q(kind__in=IN_WORDS) & Q(since__lte=codebook)


@dataclass(frozen=True)
class AxisMeasure:
    """How agreement on an axis is measured. `order`: the codes of a scale's steps, lowest first; else empty."""

    order: tuple[str, ...] = ()
    is_number: bool = False
    is_measured: bool = True


def measures_of(*, project_id: int) -> dict[str, AxisMeasure]:
    """Axis code -> its measure; two statements."""
    axes = ProjectAxis.objects.filter(project=project_id)
    versions = NodeVersion.objects.filter(axis__project=project_id, axis__kind=AxisKind.SCALE)
    steps: dict[int, dict[str, None]] = {}
    for axis, code in versions.order_by("axis", "position", "pk").values_list("axis_id", "node__code"):
        steps.setdefault(axis, {})[code] = None
    measures = {}
    for axis_row in axes:
        measures[axis_row.code] = AxisMeasure(
            tuple(steps.get(axis_row.pk, ())), axis_row.kind == AxisKind.NUMBER, axis_row.is_settled
        )
    return measures


def has_votes(*, project_id: int) -> bool:
    """Whether anybody has voted, so that no question can be added any more."""
    return Vote.objects.filter(member__project=project_id).exists()


def own_questions(*, codebook: Codebook) -> list[Question]:
    """The questions of the project's own in a codebook, as they stand there."""
    return [question_of(nodes) for nodes in axes_of(codebook=codebook) if nodes.axis.axis_id is None]


def own_question(*, project_id: int, code: str) -> Question | None:
    """The question of the project's own with this code in its newest codebook; open codes are none."""
    codebook = Codebook.objects.filter(project=project_id).order_by("-number").first()
    asked = own_questions(codebook=codebook) if codebook else []
    return next((each for each in asked if each.code == code and each.kind != "codes"), None)


def question_of(nodes: AxisNodes) -> Question:
    """An axis of a codebook as the question that it was made of; an answer above that is gone is left out."""
    codes = {version.node_id: version.node.code for version in nodes.versions}
    planned = []
    for version in nodes.versions:
        wording = Wording(
            version.node.code, version.name, version.definition, tuple(version.include), tuple(version.exclude),
            tuple(version.examples), tuple(version.aliases),
        )  # fmt: skip
        planned.append(PlannedNode(wording, codes.get(version.parent_id or 0, "")))
    axis = nodes.axis
    kind: Kind = axis.kind if is_kind(axis.kind) else "one"
    return Question(axis.code, axis.name, axis.question, kind, tuple(planned))


def study_scheme(*, slug: str) -> Scheme | None:
    """A published study's scheme by the study's slug, if it has an axis with two categories in use."""
    scheme = Scheme.objects.select_related("study").filter(study__slug=slug).first()
    return scheme if scheme is not None and scheme_questions(scheme=scheme) else None


def scheme_questions(*, scheme: Scheme) -> list[Question]:
    """A study's axes with its categories in use, as questions; axes with fewer than two categories ask nothing."""
    nodes = Node.objects.filter(axis__scheme=scheme, status=Node.Status.ACTIVE).select_related("axis", "parent")
    by_axis: dict[int, list[Node]] = {}
    for node in nodes.order_by("axis__position", "position", "pk"):
        by_axis.setdefault(node.axis_id, []).append(node)
    questions = []
    for rows in by_axis.values():
        axis = rows[0].axis
        if len(rows) > 1:
            kind: Kind = "several" if axis.several else "one"
            questions.append(Question(axis.code, axis.name, axis.question, kind, tuple(_in_tree_order(rows))))
    return questions


def _in_tree_order(nodes: Sequence[Node]) -> Iterator[PlannedNode]:
    """The nodes, each behind the one above it."""
    here = {node.pk for node in nodes}
    children: dict[int | None, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent_id if node.parent_id in here else None, []).append(node)

    def below(parent: int | None, code: str) -> Iterator[PlannedNode]:
        for node in children.get(parent, ()):
            lists = [tuple(values) for values in (node.include, node.exclude, node.examples, node.aliases)]
            yield PlannedNode(Wording(node.code, node.name, node.definition, *lists), code)
            yield from below(node.pk, node.code)

    return below(None, "")


def house_axes() -> QuerySet[Axis]:
    """The axes of the house codebook that have a node in use."""
    in_use = Node.objects.filter(status=Node.Status.ACTIVE).values("axis")
    return Axis.objects.filter(scheme__study=None, pk__in=in_use).order_by("position", "pk")
