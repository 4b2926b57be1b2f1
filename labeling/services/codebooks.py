"""A project's codebook: frozen from the house codebook, and made of questions of its own; and its guidelines."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import Max

from kb.models import Axis, Node
from labeling.models import (
    AuditEntry,
    AxisKind,
    Codebook,
    CodebookNode,
    Guideline,
    Member,
    NodeVersion,
    Project,
    ProjectAxis,
    ProjectNode,
    Role,
)
from labeling.questions import Question, faults
from labeling.refusals import RefusedError
from labeling.selectors.axes import has_votes, own_questions
from labeling.services import audit
from labeling.services.people import require

AFTER_VOTES = "Found another project for it; categories of the questions here change by proposals."


@transaction.atomic
def adopt_axes(*, lead: Member, axes: Sequence[Axis], questions: Sequence[Question] = ()) -> Codebook:
    """Make the project's first codebook of these house axes, with all nodes in use, and of questions of its own."""
    require(lead, Role.LEAD)
    if not axes and not questions:
        raise RefusedError("Choose at least one axis, or ask a question of your own: else there is nothing to answer.")
    if Codebook.objects.filter(project=lead.project).exists():
        raise RefusedError("This project has its codebook; it grows by proposals and votes.")
    if fault := faults(questions, [axis.code for axis in axes]):
        raise RefusedError(fault)
    copied = "Copied from the house codebook." if axes else ""
    own = "With questions of the project's own." if questions else ""
    codebook = Codebook.objects.create(project=lead.project, number=1, change=f"{copied} {own}".strip())
    for position, axis in enumerate(axes):
        frozen = ProjectAxis.objects.create(
            project=lead.project, axis=axis, code=axis.code, name=axis.name, question=axis.question,
            kind=AxisKind.SEVERAL if axis.several else AxisKind.ONE, several=axis.several, position=position,
        )  # fmt: skip
        _freeze_nodes(frozen, codebook)
    for position, question in enumerate(questions, start=len(axes)):
        _create_own_axis(codebook, question, position)
    return codebook


@transaction.atomic
def add_questions(*, lead: Member, questions: Sequence[Question]) -> Codebook:
    """The next codebook, which asks these questions of the project's own, too; rounds that are there keep theirs.

    Raises RefusedError once there are votes: from then on the codebook changes by proposals.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    last = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if last is None:
        return adopt_axes(lead=lead, axes=(), questions=questions)
    if not questions:
        raise RefusedError("There is no new question in it, so nothing changes.")
    if has_votes(project_id=lead.project_id):
        raise RefusedError(f"There are votes already, and they do not answer a new question. {AFTER_VOTES}")
    names = ", ".join(question.name for question in questions)
    return extend_codebook(lead=lead, questions=questions, change=f"New questions: {names}.")


@transaction.atomic
def revise_question(*, lead: Member, code: str, question: Question | None) -> Codebook:
    """The next codebook, with this question in the place of the project's own one with `code`; None leaves it out.

    Rounds that are there keep theirs. The new question gets a code of its own, as in `who_2`. Raises RefusedError once
    there are votes.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    axes = ProjectAxis.objects.filter(project=lead.project_id)
    asked = axes.filter(until=None)
    old = asked.filter(axis=None, code=code).exclude(kind=AxisKind.CODES).first()
    if old is None:
        raise RefusedError("The newest codebook has no such question of the project's own.")
    if has_votes(project_id=lead.project_id):
        raise RefusedError(f"There are votes already, and they answer the question as it is. {AFTER_VOTES}")
    if question is None:
        if asked.count() == 1:
            raise RefusedError("It is the only question. Add another one first.")
        return extend_codebook(lead=lead, questions=(), change=f"Without the question: {old.name}.", ended=[old])
    taken = set(axes.values_list("code", flat=True))
    numbered = (f"{code[:27]}_{number}" for number in range(2, len(taken) + 3))
    question = replace(question, code=next(each for each in numbered if each not in taken))
    codebook = extend_codebook(lead=lead, questions=[question], change=f"Changed question: {old.name}.", ended=[old])
    axes.filter(code=question.code).update(position=old.position)
    return codebook


@transaction.atomic
def extend_codebook(
    *, lead: Member, questions: Sequence[Question], change: str, ended: Collection[ProjectAxis] = ()
) -> Codebook:
    """The next codebook, with these questions and without the `ended` ones; earlier rounds and votes keep theirs."""
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    last = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if last is None:
        return adopt_axes(lead=lead, axes=(), questions=questions)
    axes = ProjectAxis.objects.filter(project=lead.project)
    if fault := faults(questions, list(axes.values_list("code", flat=True))):
        raise RefusedError(fault)
    if any(question.kind == "codes" for question in questions) and axes.filter(kind=AxisKind.CODES).exists():
        raise RefusedError(f"“{questions[0].name}”: this project has its question for open codes.")
    codebook = Codebook.objects.create(project=lead.project, number=last.number + 1, change=change)
    CodebookNode.objects.bulk_create(
        CodebookNode(codebook=codebook, node_id=entry.node_id, version_id=entry.version_id)
        for entry in last.entries.all()
    )
    axes.filter(pk__in=[axis.pk for axis in ended], until=None).update(until=last.number)
    for position, question in enumerate(questions, start=axes.count()):
        _create_own_axis(codebook, question, position)
    return codebook


@transaction.atomic
def add_from_file(*, lead: Member, questions: Sequence[Question]) -> Codebook:
    """`add_questions` for those of a file that are not there yet; one that is there must read as it does there."""
    require(lead, Role.LEAD)
    last = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    there = {question.code: question for question in own_questions(codebook=last)} if last else {}
    for question in questions:
        if there.get(question.code, question) != question:
            raise RefusedError(
                f"“{question.name}” is there already and reads otherwise. Its categories change by proposals; a new "
                "question needs a new code."
            )
    return add_questions(lead=lead, questions=[each for each in questions if each.code not in there])


def _create_own_axis(codebook: Codebook, question: Question, position: int) -> None:
    """Write a question as an axis without a house axis, its answers as version 1 of each node."""
    axis = ProjectAxis.objects.create(
        project=codebook.project, code=question.code, name=question.name.strip(), question=question.question.strip(),
        kind=question.kind, several=question.kind == "several", position=position, since=codebook.number,
    )  # fmt: skip
    rows = ProjectNode.objects.bulk_create(ProjectNode(axis=axis, code=node.wording.code) for node in question.nodes)
    nodes = {row.code: row for row in rows}
    versions = NodeVersion.objects.bulk_create(
        NodeVersion(
            node=nodes[node.wording.code], axis=axis, number=1, parent=nodes.get(node.parent),
            name=node.wording.name.strip(), definition=node.wording.definition.strip(),
            include=list(node.wording.include), exclude=list(node.wording.exclude),
            examples=list(node.wording.examples), aliases=list(node.wording.aliases), position=place,
        )
        for place, node in enumerate(question.nodes)
    )  # fmt: skip
    _put_in(codebook, versions)


def _freeze_nodes(axis: ProjectAxis, codebook: Codebook) -> None:
    """Copy the active nodes of a knowledge base's axis into the project, as version 1 of each."""
    nodes = list(Node.objects.filter(axis=axis.axis_id, status=Node.Status.ACTIVE).order_by("position", "pk"))
    if not nodes:
        raise RefusedError(f"The axis “{axis.name}” has no nodes.")
    copies = ProjectNode.objects.bulk_create(ProjectNode(axis=axis, code=node.code, node=node) for node in nodes)
    copy_of = {copy.node_id: copy for copy in copies}
    versions = NodeVersion.objects.bulk_create(
        NodeVersion(
            node=copy_of[node.pk], axis=axis, number=1, parent=copy_of.get(node.parent_id), name=node.name,
            definition=node.definition, include=node.include, exclude=node.exclude, examples=node.examples,
            aliases=node.aliases, position=position,
        )
        for position, node in enumerate(nodes)
    )  # fmt: skip
    _put_in(codebook, versions)


def _put_in(codebook: Codebook, versions: Sequence[NodeVersion]) -> None:
    CodebookNode.objects.bulk_create(
        CodebookNode(codebook=codebook, node_id=version.node_id, version=version) for version in versions
    )


@transaction.atomic
def write_guideline(*, lead: Member, text: str, change: str = "", based_on: int | None = None) -> Guideline:
    """The next version of the guidelines; from the second on, `change` must say what is new in it.

    `based_on`: the number of the version that was edited, 0 for none. Raises RefusedError where it is stale.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    last = Guideline.objects.filter(project=lead.project).aggregate(last=Max("number"))["last"] or 0
    if based_on is not None and based_on != last:
        raise RefusedError(f"Version {last} was saved in the meantime. Read its changes and merge them with your text.")
    if not text.strip():
        raise RefusedError("Write something: guidelines cannot be empty.")
    if last and not change.strip():
        raise RefusedError("Say what changed in this version, so that annotators need not compare.")
    audit.record(by=lead, kind=AuditEntry.Kind.GUIDELINES, detail=f"version {last + 1}")
    return Guideline.objects.create(
        project=lead.project, number=last + 1, text="\n".join(text.splitlines()), change=change, author=lead
    )
