"""The admin: tidy lists, nothing editable that must not be, writing through services, under the content policy."""

import datetime as dt
import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from kb.models import CauseLink, Crosswalk, Framework, Issue, Label, Node, Playbook, Repository, Scheme, Study
from kb.services.cause_links import rebuild_cause_links
from kb.services.labels import refresh_label_terms
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db
admin.autodiscover()
TABLES = sorted((model for model in admin.site._registry if model._meta.app_label == "kb"), key=lambda m: m.__name__)


@pytest.fixture
def staff(client: Client) -> Client:
    """A curator who is logged in."""
    client.force_login(User.objects.create_superuser("ada"))
    return client


def page(model: type[Model], pk: Any = None) -> str:
    name = f"admin:kb_{model._meta.model_name}_{'change' if pk else 'changelist'}"
    return reverse(name, args=(pk,) if pk else ())


def form_of(client: Client, address: str) -> dict[str, Any]:
    """What a browser would send from the page without touching anything."""
    context = client.get(address).context
    data: dict[str, Any] = {}
    for form in (context["adminform"].form, *(f for s in context["inline_admin_formsets"] for f in s.formset.forms)):
        for field in form:
            value = field.value()
            if value not in (None, False):
                data[field.html_name] = value
    for formset in context["inline_admin_formsets"]:
        for field in formset.formset.management_form:
            data[field.html_name] = field.value()
    return data


def save(client: Client, address: str, **changes: Any) -> Any:
    """Change some fields and save, as a browser would."""
    return client.post(address, form_of(client, address) | changes, follow=True)


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


class TestEveryTable:
    def test_every_table_of_the_knowledge_base_has_one(self) -> None:
        names = {model.__name__ for model in TABLES}
        tables = {model.__name__ for model in apps.get_app_config("kb").get_models()}
        # The database's own, and the indexers', which `manage.py doctor` tells about.
        own = {"IssueDigest", "PublishedCell", "IssueFacts", "SearchBuild", "SearchChange", "SearchHost"}
        # How cause links follow labels, which `manage.py rebuild_cause_links --check` tells about.
        own |= {"CauseLinkChange", "CauseLinkEvidence", "GoneCauseLink"}
        # What follows the host, and who asked to be forgotten, which is a command's to change.
        own |= {"ClosingReference", "Comment", "FormerAddress", "ForgottenAuthor"}
        # Logs of people, for an hour; staff have no business with them.
        own |= {"DiagnosisJob", "DiagnosisUpload"}
        # Shown on the page of the answer that they belong to.
        own |= {"SurveyPlace"}
        # Shown on the page of the feedback that they belong to.
        own |= {"FeedbackDecision"}
        # What the database keeps of public ids and of their changes, which the API lists.
        own |= {"FormerId", "FaultChange", "FaultTouch"}
        assert {name for name in tables - names if not name.endswith("Event")} == own

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
    def test_its_list_takes_at_most_12_statements(
        self, staff: Client, model: type[Model], django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(12):
            response = staff.get(page(model))
        assert response.status_code == 200
        empty = {"OtherReport", "Provenance", "RepositoryAlias", "SurveyAnswer"}
        empty |= {"Webhook", "WebhookDelivery"}
        empty |= {"DiagnosisFeedback", "KnownSignature", "MissedSearch", "ProposedCategory", "SharedDiagnosis"}
        assert response.context["cl"].result_count or model.__name__ in empty

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
    def test_it_can_be_searched_and_its_rows_opened(
        self, staff: Client, model: type[Model], django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert admin.site._registry[model].search_fields or "Event" in model.__name__
        assert staff.get(page(model), {"q": "hang"}).status_code == 200
        if row := model._default_manager.order_by("-pk").first():
            with django_assert_max_num_queries(25):
                assert staff.get(page(model, row.pk)).status_code == 200

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
    def test_its_pages_obey_the_content_policy(self, staff: Client, model: type[Model]) -> None:
        addresses = [page(model)]
        if row := model._default_manager.first():
            addresses.append(page(model, row.pk))
        for address in addresses:
            html = staff.get(address).content.decode()
            for script in re.findall(r"<script[^>]*>", html):
                assert " src=" in script or "application/json" in script, script
            assert not re.search(r"<[a-z][^>]*\s(style|on[a-z]+)=", html)
            assert "<style" not in html

    def test_the_site_bears_the_products_name(self, staff: Client) -> None:
        assert "Faultbook" in staff.get(reverse("admin:index")).content.decode()


class TestWhatStaysAsItIs:
    @pytest.mark.parametrize("model", [Study, Scheme, Crosswalk], ids=lambda model: model.__name__)
    def test_what_studies_published_is_only_looked_at(self, staff: Client, model: type[Model]) -> None:
        study = make_study("p9")
        theirs = make_node("S1", axis=make_axis(scheme="p9", study=study))
        Crosswalk.objects.create(from_node=theirs, to_node=make_node("hang"), relation="broad")
        row = model._default_manager.earliest("pk")
        response = staff.get(page(model, row.pk))
        assert not response.context["has_change_permission"]
        assert staff.post(page(model, row.pk), {}).status_code == 403
        assert staff.post(reverse(f"admin:kb_{model._meta.model_name}_delete", args=(row.pk,))).status_code == 403

    def test_a_studys_category_cannot_be_changed(self, staff: Client) -> None:
        node = make_node("S1", axis=make_axis(scheme="p9", study=make_study("p9")))
        assert staff.post(page(Node, node.pk), {"name": "Mine"}).status_code == 403

    def test_no_node_can_be_deleted_or_invented(self, staff: Client) -> None:
        node = make_node("hang")
        assert staff.post(reverse("admin:kb_node_delete", args=(node.pk,)), {"post": "yes"}).status_code == 403
        assert staff.get(reverse("admin:kb_node_add")).status_code == 403
        assert "delete_selected" not in staff.get(page(Node)).content.decode()

    def test_a_studys_label_cannot_be_changed_or_taken_away(self, staff: Client) -> None:
        label = make_label(make_issue(), make_node(), make_source("p9", kind="study", study=make_study("p9")))
        assert staff.post(page(Label, label.pk), {"reason": "Mine"}).status_code == 403
        staff.post(page(Label), {"action": "delete_selected", "_selected_action": [label.pk], "post": "yes"})
        assert Label.objects.filter(pk=label.pk).exists()

    def test_mirrored_facts_stay_as_mirrored(self, staff: Client) -> None:
        issue = make_issue(1, title="The host's title", state="open")
        save(staff, page(Issue, issue.pk), title="Mine", state="closed", heading="Our own title of it")
        issue.refresh_from_db()
        assert (issue.title, issue.state, issue.heading) == ("The host's title", "open", "Our own title of it")

    def test_a_cause_links_numbers_are_counted_never_written(self, staff: Client) -> None:
        issue = make_issue()
        make_label(issue, make_node("hang"))
        make_label(issue, make_node("race", axis=make_axis("root_cause")))
        rebuild_cause_links()
        link = CauseLink.objects.get()
        save(staff, page(CauseLink, link.pk), issues="99", note="Seen often on two nodes.")
        link.refresh_from_db()
        assert (link.issues, link.note) == (1, "Seen often on two nodes.")
        assert "ada" in staff.get(page(CauseLink, link.pk)).content.decode()

    def test_a_repository_keeps_its_name(self, staff: Client) -> None:
        repository = make_repository()
        save(staff, page(Repository, repository.pk), full_name="a/b")
        repository.refresh_from_db()
        assert repository.full_name == "deepspeedai/DeepSpeed"


class TestIssues:
    def test_our_words_are_written_one_signature_on_each_line(self, staff: Client) -> None:
        issue = make_issue(1, recognise=["first, with a comma"])
        save(staff, page(Issue, issue.pk), recognise="first, with a comma\r\n\r\n second ", summary="It waits.")
        issue.refresh_from_db()
        assert (issue.recognise, issue.summary) == (["first, with a comma", "second"], "It waits.")

    def test_saving_without_a_change_leaves_no_trace_in_the_history(self, staff: Client) -> None:
        issue = make_issue(1, summary="It waits.", recognise=["a, b"])
        save(staff, page(Issue, issue.pk))
        assert apps.get_model("kb", "IssueTextEvent")._default_manager.filter(pgh_obj=issue.pk).count() == 1

    def test_the_history_says_who_changed_what(self, staff: Client) -> None:
        issue = make_issue(1)
        save(staff, page(Issue, issue.pk), summary="It waits in all_gather.")
        html = staff.get(page(Issue, issue.pk)).content.decode()
        assert "ada" in html
        assert "import or command" in html

    def test_fixes_and_relatives_are_linked(self, staff: Client) -> None:
        issue, other, fix = make_issue(1), make_issue(2), make_fix()
        save(staff, page(Issue, issue.pk), fixes=[fix.pk], related=[other.pk])
        assert (list(issue.fixes.all()), list(other.related.all())) == ([fix], [issue])
        save(staff, page(Issue, issue.pk), fixes=[], related=[])
        assert (list(issue.fixes.all()), list(other.related.all())) == ([], [])

    def test_a_curated_label_is_added_and_found_by_its_words(self, staff: Client) -> None:
        issue, node, source = make_issue(1), make_node("hang", aliases=["deadlock"]), make_source()
        added = {"labels-2-0-node": node.pk, "labels-2-0-source": source.pk, "labels-2-0-reason": "No progress."}
        save(staff, page(Issue, issue.pk), **added)
        label = Label.objects.get()
        assert (label.issue, label.axis, label.reason) == (issue, node.axis, "No progress.")
        issue.refresh_from_db()
        assert "deadlock" in issue.label_terms

    def test_rewording_keeps_the_label(self, staff: Client) -> None:
        label = make_label(make_issue(1), make_node("hang"), reason="Old.")
        save(staff, page(Issue, label.issue.pk), **{"labels-0-reason": "New."})
        label.refresh_from_db()
        assert label.reason == "New."

    def test_other_sources_labels_are_shown_but_not_offered(self, staff: Client) -> None:
        issue = make_issue(1)
        label = make_label(issue, make_node("hang"), make_source("p9", kind="study", study=make_study("p9")))
        assert "p9" in staff.get(page(Issue, issue.pk)).content.decode()
        save(staff, page(Issue, issue.pk), **{"labels-3-0-reason": "Mine.", "labels-3-0-DELETE": "on"})
        label.refresh_from_db()
        assert label.reason == ""

    def test_a_label_is_taken_away_and_kept_in_the_history(self, staff: Client) -> None:
        issue = make_issue(1)
        make_label(issue, make_node("hang", aliases=["deadlock"]))
        refresh_label_terms(issue_ids=[issue.pk])
        save(staff, page(Issue, issue.pk), **{"labels-0-DELETE": "on"})
        issue.refresh_from_db()
        assert (Label.objects.count(), issue.label_terms) == (0, "")
        assert "delete" in staff.get(page(apps.get_model("kb", "LabelEvent"))).content.decode()

    def test_a_retired_node_is_not_on_offer(self, staff: Client) -> None:
        make_node("freeze", status="retired")
        make_node("hang")
        query = {"app_label": "kb", "model_name": "label", "field_name": "node", "term": ""}
        offered = staff.get(reverse("admin:autocomplete"), query).json()["results"]
        assert [one["text"] for one in offered] == ["Hang"]


class TestNodes:
    def test_new_words_find_the_issues_below_too(self, staff: Client) -> None:
        hang = make_node("hang")
        issue = make_issue(1)
        make_label(issue, make_node("hang-start", parent=hang))
        save(staff, page(Node, hang.pk), aliases="deadlock\nno progress, no exit")
        hang.refresh_from_db()
        issue.refresh_from_db()
        assert hang.aliases == ["deadlock", "no progress, no exit"]
        assert "deadlock" in issue.label_terms

    def test_a_node_that_nothing_carries_can_be_retired(self, staff: Client) -> None:
        free, carried = make_node("free"), make_node("carried")
        make_label(make_issue(), carried)
        chosen = {"action": "retire", "_selected_action": [free.pk, carried.pk]}
        said = messages_of(staff.post(page(Node), chosen, follow=True))
        assert said == ["“Free” is retired.", "“Carried” is still carried by 1 labels: merge it into another instead."]
        assert set(Node.objects.values_list("code", "status")) == {("free", "retired"), ("carried", "active")}

    def test_merging_moves_the_labels_and_leaves_a_pointer(self, staff: Client) -> None:
        freeze, hang = make_node("freeze"), make_node("hang")
        once, twice = make_issue(1), make_issue(2)
        make_label(once, freeze)
        make_label(twice, freeze, reason="Theirs.")
        make_label(twice, hang, reason="Kept.")
        assert messages_of(save(staff, page(Node, freeze.pk), merged_into=hang.pk))[0] == "1 labels moved to “Hang”."
        freeze.refresh_from_db()
        assert (freeze.status, freeze.merged_into) == ("merged", hang)
        assert set(hang.labels.values_list("issue__ref", "reason")) == {("1", ""), ("2", "Kept.")}

    def test_merging_is_refused_with_a_reason_and_changes_nothing(self, staff: Client) -> None:
        parent, other = make_node("parent"), make_node("race", axis=make_axis("root_cause"))
        make_node("child", parent=parent)
        alone = make_node("alone")
        for node, into, reason in [(parent, alone, "active nodes below it"), (alone, other, "of its own axis")]:
            said = messages_of(save(staff, page(Node, node.pk), merged_into=into.pk, name="Renamed"))
            assert reason in said[0]
            node.refresh_from_db()
            assert (node.status, node.name != "Renamed") == ("active", True)


class TestOtherTables:
    def test_an_alias_that_is_anothers_name_is_refused_with_the_databases_reason(self, staff: Client) -> None:
        one = make_repository("a/one")
        make_repository("a/two")
        added = {"aliases-TOTAL_FORMS": 1, "aliases-0-host": "github.com", "aliases-0-full_name": "a/two"}
        (said,) = messages_of(save(staff, page(Repository, one.pk), **added))
        assert said == "Not saved: alias a/two is the current name of a repository"
        assert not one.aliases.exists()

    def test_a_playbook_keeps_its_steps_apart(self, staff: Client) -> None:
        node = make_node("revert", axis=make_axis("fix_pattern"))
        playbook = Playbook.objects.create(node=node, applies_when="A change broke it.", steps=["Find it, then stop."])
        save(staff, page(Playbook, playbook.pk), steps="Find it, then stop.\nRevert it.")
        playbook.refresh_from_db()
        assert playbook.steps == ["Find it, then stop.", "Revert it."]

    def test_a_framework_keeps_its_slug(self, staff: Client) -> None:
        framework = make_repository().framework
        save(staff, page(Framework, framework.pk), slug="other", description="Sharded training.")
        framework.refresh_from_db()
        assert (framework.slug, framework.description) == ("deepspeed", "Sharded training.")

    def test_a_fixs_size_is_computed(self, staff: Client) -> None:
        fix = make_fix(merged_on=dt.date(2024, 1, 1))
        save(staff, page(type(fix), fix.pk), additions="4", deletions="5", is_small="")
        fix.refresh_from_db()
        assert (fix.lines_changed, fix.is_small) == (9, True)

    def test_a_source_cannot_be_taken_away(self, staff: Client) -> None:
        source = make_source()
        assert staff.post(reverse("admin:kb_source_delete", args=(source.pk,)), {"post": "yes"}).status_code == 403
