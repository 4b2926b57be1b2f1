"""Starting projects, describing them, and the archive."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from labeling.models import Project, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.invitations import opens_sign_up
from labeling.services.people import found_project, invite, join
from labeling.services.projects import (
    archive_project,
    describe_project,
    start_project,
    suggested_slug,
    unarchive_project,
)  # fmt: skip
from labeling.services.rounds import close_round, open_round, prepare_round
from tests.labeling.factories import make_axes, make_founder, make_member, make_project, make_round, make_user

pytestmark = pytest.mark.django_db


def test_a_project_starts_with_its_codebook_or_not_at_all() -> None:
    lead = start_project(user=make_founder(), name="Why runs hang", question="Why?", axes=make_axes())
    assert lead.project.slug == "why-runs-hang"
    assert [axis.code for axis in lead.project.axes.all()] == ["symptom", "issue_type"]
    with pytest.raises(RefusedError, match="at least one axis"):
        start_project(user=make_founder(), name="Other", question="Why?", axes=[])
    assert Project.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "slug"), [("Hangs & crashes", "hangs-crashes"), ("New", "new-2"), ("Join!", "join-2")]
)
def test_a_short_name_is_suggested_that_is_free(name: str, slug: str) -> None:
    assert suggested_slug(name=name) == slug


def test_a_taken_name_gets_a_number() -> None:
    for slug in ("hangs", "hangs-2"):
        found_project(user=make_founder(), slug=slug, name="Hangs", question="Why?")
    assert suggested_slug(name="Hangs") == "hangs-3"
    assert len(suggested_slug(name="x" * 200)) <= 60


def test_a_name_without_latin_letters_needs_a_short_name_of_its_own() -> None:
    with pytest.raises(RefusedError, match="enter one"):
        suggested_slug(name="卡死")


def test_reserved_words_are_no_short_names() -> None:
    with pytest.raises(RefusedError, match="another page"):
        found_project(user=make_founder(), slug="new", name="New", question="?")
    project = make_project().project
    with pytest.raises(IntegrityError, match="not_reserved"), transaction.atomic():
        Project.objects.filter(pk=project.pk).update(slug="join")


def test_only_leads_describe_and_archive() -> None:
    lead = make_project()
    annotator = make_member(lead.project)
    refusals: list[Callable[[], object]] = [
        lambda: describe_project(lead=annotator, name="Mine", question="?"),
        lambda: archive_project(lead=annotator),
        lambda: unarchive_project(lead=annotator),
    ]
    for refused in refusals:
        with pytest.raises(RefusedError, match="Only somebody who is lead"):
            refused()


def test_nothing_is_archived_under_people_at_work_and_nothing_begins_in_the_archive() -> None:
    lead = make_project()
    make_member(lead.project)
    round_ = make_round(lead, votes_wanted=1)
    with pytest.raises(RefusedError, match="Close it first"):
        archive_project(lead=lead)
    close_round(lead=lead, round_=round_)
    prepared = make_round(lead, votes_wanted=1, is_open=False)
    _, token = invite(lead=lead, roles=[Role.OBSERVER])
    archive_project(lead=lead)
    refusals: list[Callable[[], object]] = [
        lambda: open_round(lead=lead, round_=prepared),
        lambda: prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Another"),
        lambda: invite(lead=lead, roles=[Role.OBSERVER]),
        lambda: join(user=make_user(), token=token),
    ]
    for refused in refusals:
        with pytest.raises(RefusedError, match="archive"):
            refused()
    assert not opens_sign_up(token=token)
    unarchive_project(lead=lead)
    assert open_round(lead=lead, round_=prepared).state == "open"
    assert join(user=make_user(), token=token).is_active
