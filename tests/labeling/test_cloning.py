"""A project like another one has its codebook, rules, guidelines and, if wanted, its team; and nothing of its votes."""

import pytest
from django.test import Client

from labeling.models import CodebookNode, CrossRule, Member, Project, ProjectNode, Role
from labeling.refusals import RefusedError
from labeling.rights import Right
from labeling.services.cloning import clone_project
from labeling.services.codebooks import write_guideline
from labeling.services.cross_rules import add_rule, retire_rule
from labeling.services.people import leave
from tests.labeling.factories import cast, make_member, make_open_round, make_project

pytestmark = pytest.mark.django_db


def node(project: Project, code: str) -> ProjectNode:
    return ProjectNode.objects.get(axis__project=project, code=code)


def answers(project: Project) -> list[tuple[str, str, str, str]]:
    entries = CodebookNode.objects.filter(codebook__project=project).select_related(
        "version__parent", "node", "version__axis"
    )
    return [
        (
            entry.version.axis.code,
            entry.node.code,
            entry.version.name,
            entry.version.parent.code if entry.version.parent else "",
        )
        for entry in entries
    ]


def cloned(lead: Member, *, with_team: bool = False) -> Member:
    return clone_project(lead=lead, name="Again", question="And now?", with_team=with_team)


def test_it_has_the_axes_and_categories_and_their_house_nodes() -> None:
    lead = make_project()
    new = cloned(lead)
    assert answers(new.project) == answers(lead.project) != []
    assert [axis.question for axis in new.project.axes.all()] == [axis.question for axis in lead.project.axes.all()]
    assert node(new.project, "hang").node_id == node(lead.project, "hang").node_id
    assert new.project.codebooks.get().change == f"Copied from “{lead.project}”, codebook 1."


def test_it_has_the_rules_in_force_over_its_own_categories() -> None:
    lead = make_project()
    bug, hang = node(lead.project, "bug"), node(lead.project, "hang")
    add_rule(lead=lead, when=hang, kind=CrossRule.Kind.REQUIRES, others=[bug], reason="A hang is a bug.")
    retired = add_rule(lead=lead, when=bug, kind=CrossRule.Kind.REQUIRES, others=[hang], reason="No longer.")
    retire_rule(lead=lead, rule=retired)
    new = cloned(lead)
    rule = CrossRule.objects.get(project=new.project)
    assert (rule.when, [*rule.others.all()]) == (node(new.project, "hang"), [node(new.project, "bug")])


def test_its_guidelines_are_the_newest_ones() -> None:
    lead = make_project()
    write_guideline(lead=lead, text="First.")
    write_guideline(lead=lead, text="Second.", change="All of it.")
    assert [(text.number, text.text) for text in cloned(lead).project.guidelines.all()] == [(1, "Second.")]


def test_rounds_and_votes_stay_behind() -> None:
    round_, annotators = make_open_round()
    cast(annotators[0], round_)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    assert not cloned(lead).project.rounds.exists()


def test_the_team_comes_along_on_request_without_those_who_left() -> None:
    lead = make_project()
    stays = make_member(lead.project, Role.ANNOTATOR, is_senior=True)
    leave(member=make_member(lead.project, Role.ANNOTATOR))
    assert [member.user for member in cloned(lead).project.members.all()] == [lead.user]
    team = cloned(lead, with_team=True).project.members.exclude(user=lead.user)
    assert [(member.user, member.roles, member.is_senior) for member in team] == [(stays.user, ["annotator"], True)]


def test_only_leads_who_may_found_projects_do_it() -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match="lead"):
        cloned(make_member(lead.project, Role.OBSERVER))
    with pytest.raises(RefusedError, match="approved by this site's staff"):
        cloned(make_project(rights=[Right.PUBLISH]))


def test_the_page_begins_it(client: Client) -> None:
    lead = make_project()
    client.force_login(lead.user)
    page = f"/labeling/{lead.project.slug}/clone/"
    assert "A project like this one" in client.get(page).content.decode()
    answer = client.post(page, {"name": "Again", "question": "And now?", "slug": lead.project.slug})
    assert (answer.status_code, "another short name" in answer.content.decode()) == (422, True)
    answer = client.post(page, {"name": "Again", "question": "And now?"})
    assert answer.headers["Location"] == "/labeling/again/"
