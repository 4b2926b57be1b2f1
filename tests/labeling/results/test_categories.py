"""Categories that projects voted in, and what is published where one is missing, refused, retired or merged."""

import pytest
from django.contrib.auth.models import User

from kb.models import Label, Node, Provenance
from kb.services.codebook import NodeSpec, save_nodes
from labeling.models import (
    CategoryRequest,
    Codebook,
    CodebookNode,
    Job,
    Member,
    NodeVersion,
    ProjectAxis,
    ProjectNode,
    Proposal,
    Role,
)
from labeling.refusals import RefusedError
from labeling.rights import Right
from labeling.selectors.publication import preview
from labeling.services.categories import accept_category, refuse_category
from labeling.services.oversight import give_rights
from labeling.services.proposals import propose, put_to_vote, vote_on
from labeling.wordings import Wording
from tests.labeling.factories import make_project, make_user
from tests.labeling.results.builders import annotators, do, issues_of, lead_of, published, settled_round

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)


def accepted_node(lead: Member, code: str) -> None:
    """A node that the project's annotators voted in."""
    axis = ProjectAxis.objects.get(project=lead.project, code="symptom")
    made = propose(
        author=lead, axis=axis, kind=Proposal.Kind.ADD, reason="Seen often.",
        wording=[Wording(code=code, name=code.capitalize(), definition="One rank is late.")],
    )  # fmt: skip
    put_to_vote(member=lead, proposal=made)
    for member in Member.objects.filter(project=lead.project, roles=[Role.ANNOTATOR]):
        vote_on(member=member, proposal=made, agrees=True)


def curator() -> User:
    user = make_user()
    give_rights(user=user, rights=[Right.OVERSEE])
    return user


def accept_waiting() -> None:
    for request in CategoryRequest.objects.filter(state=CategoryRequest.State.WAITING):
        accept_category(by=curator(), request=request)


def test_a_category_that_was_voted_in_waits_for_a_curator_with_the_answers_that_name_it() -> None:
    lead = make_project()
    annotators(lead, 2)
    accepted_node(lead, "straggler")
    round_ = settled_round(((("straggler",), ("straggler",)),), lead=lead)
    assert preview(project_id=lead.project_id).waiting == ("Straggler",)
    do(lead, Job.Kind.PUBLISH)
    assert not Node.objects.filter(code="straggler").exists()
    assert published(issues_of(round_)[0]) == {"bug"}
    assert not Provenance.objects.filter(axis__code="symptom").exists()
    accept_waiting()
    node = Node.objects.get(code="straggler")
    assert (node.voted_in_by, node.definition) == (lead.project.name, "One rank is late.")
    assert preview(project_id=lead.project_id).added == 1
    do(lead, Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"straggler", "bug"}
    assert CategoryRequest.objects.get().state == CategoryRequest.State.ACCEPTED


def test_a_refused_category_stays_out_and_the_project_reads_why() -> None:
    lead = make_project()
    annotators(lead, 2)
    accepted_node(lead, "straggler")
    round_ = settled_round(((("straggler",), ("straggler",)),), lead=lead)
    do(lead, Job.Kind.PUBLISH)
    request = CategoryRequest.objects.get()
    with pytest.raises(RefusedError, match="Say why"):
        refuse_category(by=curator(), request=request, reason=" ")
    refuse_category(by=curator(), request=request, reason="That is a hang.")
    with pytest.raises(RefusedError, match="already been decided"):
        accept_category(by=curator(), request=request)
    do(lead, Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"bug"}
    (blocked,) = preview(project_id=lead.project_id).blocked
    assert blocked.reason == "“straggler” was refused for the house codebook: That is a hang."


def test_loading_the_codebooks_file_leaves_a_voted_in_category_alone() -> None:
    lead = make_project()
    annotators(lead, 2)
    accepted_node(lead, "straggler")
    settled_round(((("straggler",), ("straggler",)),), lead=lead)
    do(lead, Job.Kind.PUBLISH)
    accept_waiting()
    axis = Node.objects.get(code="straggler").axis
    words = {"name": "Hang", "definition": "It hangs."}
    save_nodes(axis=axis, specs=[NodeSpec(code, None, words) for code in ("hang", "crash")])
    assert Node.objects.get(code="straggler").status == Node.Status.ACTIVE


def test_the_same_code_on_the_same_axis_is_the_same_category() -> None:
    first, second = make_project(), make_project()
    for lead in (first, second):
        annotators(lead, 2)
        accepted_node(lead, "straggler")
        settled_round(((("straggler",), ("straggler",)),), lead=lead)
        do(lead, Job.Kind.PUBLISH)
        accept_waiting()
        do(lead, Job.Kind.PUBLISH)
    node = Node.objects.get(code="straggler")
    assert Label.objects.filter(node=node).values("source").distinct().count() == 2


def test_a_category_that_two_projects_ask_for_is_accepted_for_both() -> None:
    for lead in (make_project(), make_project()):
        annotators(lead, 2)
        accepted_node(lead, "straggler")
        settled_round(((("straggler",), ("straggler",)),), lead=lead)
        do(lead, Job.Kind.PUBLISH)
    accept_waiting()
    assert Node.objects.filter(code="straggler").count() == 1
    assert set(CategoryRequest.objects.values_list("state", flat=True)) == {"accepted"}


def test_a_category_is_accepted_below_one_of_the_house_that_nobody_asked_about() -> None:
    lead = make_project()
    hang = ProjectNode.objects.get(axis__project=lead.project, code="hang")
    node = ProjectNode.objects.create(axis=hang.axis, code="straggler")
    words = {"name": "Straggler", "definition": "One rank is late."}
    version = NodeVersion.objects.create(node=node, axis=hang.axis, number=1, parent=hang, position=9, **words)
    codebook = Codebook.objects.get(project=lead.project)
    CodebookNode.objects.create(codebook=codebook, node=node, version=version)
    asked = CategoryRequest.objects.create(node=node)
    assert accept_category(by=curator(), request=asked).parent == hang.node
    assert list(CategoryRequest.objects.all()) == [asked]


def test_a_category_out_of_use_is_left_out_and_named() -> None:
    round_ = settled_round(((HANG, HANG),))
    Node.objects.filter(code="hang").update(status=Node.Status.RETIRED)
    shown = preview(project_id=round_.project_id)
    assert [(one.reason, one.issues) for one in shown.blocked] == [("“Hang” is retired in the house codebook.", 1)]
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"bug"}


def test_an_answer_is_published_whole_or_not_at_all() -> None:
    lead = make_project()
    ProjectAxis.objects.filter(project=lead.project, code="symptom").update(several=True)
    round_ = settled_round(((HANG + CRASH, HANG + CRASH),), lead=lead)
    Node.objects.filter(code="hang").update(status=Node.Status.RETIRED)
    shown = preview(project_id=round_.project_id)
    assert ([one.issues for one in shown.blocked], shown.added) == ([1], 1)
    do(lead, Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"bug"}
    assert not Provenance.objects.filter(axis__code="symptom").exists()


def test_a_house_category_that_was_merged_is_followed() -> None:
    round_ = settled_round(((HANG, HANG),))
    crash = Node.objects.get(code="crash")
    Node.objects.filter(code="hang").update(status=Node.Status.MERGED, merged_into=crash)
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"crash", "bug"}
