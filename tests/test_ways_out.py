"""A secret that somebody pasted leaves the product nowhere: no page, answer, feed or file shows it, no search finds it.

Whoever adds an address says here what it shows of a report (`SHOWING`), or that it shows nothing (`SHOWING_NOTHING`).
Labeling's addresses are read by a crawler, so that new ones are tried by themselves. What no test happens to show is
looked for in `test_stored_texts`.
"""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from ingest.models import KeywordList
from ingest.services.suggestions import suggest_labels
from kb.models import Comment, Issue, Label, Playbook, Source, WithoutSecrets
from kb.services.cause_links import rebuild_cause_links
from labeling.models import Member, Snapshot
from labeling.services.snapshots import take_snapshots, text_hash
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored
from tests.labeling import factories as labeling_factories
from tests.labeling.permissions.crawling import content_of, read_all
from tests.labeling.permissions.routes import all_routes
from tests.labeling.permissions.world import Actor, act, make_world
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_change,
    make_fix,
    make_history,
    make_issue,
    make_label,
    make_node,
    make_range,
    make_repository,
)
from tests.support.made_up import BASE62, PASTED, drawn

pytestmark = pytest.mark.django_db
IN_TITLE, IN_TEXT = ("ghp_" + drawn(BASE62, 36) for _ in range(2))
MAIL, PASSWORD = "ada@analytical-engines.com", "corr3ct-Horse!"
SECRETS = (IN_TITLE, IN_TEXT, MAIL, PASSWORD)
TITLE = f"[Bug]: Training hangs with {IN_TITLE}"
BODY = f"It hangs for {MAIL}:\n\n```\nexport TOKEN={IN_TEXT}\npassword={PASSWORD}\nRuntimeError: NCCL {IN_TEXT}\n```\n"
GONE, IN_PLACE = b" removed]", b" removed.."
WITH_TEXTS = ("/doccano/", "/label_studio/")
LABELING = ("/labeling/", "/api/v1/labeling/")
ELSEWHERE = ("labeling/", "api/v1/labeling/", "account/", "admin/")


Ways = Callable[[Issue], list[str]]


def _rows(name: str) -> dict[str, Ways]:
    return {
        f"api-{name}": lambda _issue: [f"/api/v1/{name}/"],
        f"api-{name}-detail": lambda issue: [
            f"/api/v1/{name}/{issue.pk if name == 'issues' else issue.fixes.get().pk}/"
        ],
    }


def undescribed(issue: Issue) -> Issue:
    """The report beside it that has no summary, and so no public id."""
    return Issue.objects.get(related=issue, summary="")


# Address by name -> where it shows the issue's title or text.
SHOWING: dict[str, Ways] = {
    "home": lambda _issue: ["/"],
    "search": lambda _issue: ["/issues/", "/issues/?q=hangs", "/issues/?q=runtimeerror+nccl"],
    "reported": lambda _issue: ["/issues/reported/?title=Training+hangs&body=nccl"],
    "feed": lambda _issue: ["/issues/feed.atom?q=hangs"],
    "fault": lambda issue: [issue.get_absolute_url()],
    "fault-comments": lambda issue: [f"{issue.get_absolute_url()}/comments"],
    # Of a report that nobody described.
    "issue": lambda issue: [undescribed(issue).get_absolute_url()],
    "issue-comments": lambda issue: [f"{undescribed(issue).get_absolute_url()}/comments"],
    "mirror-kept": lambda issue: [status_of(issue, "kept/"), status_of(issue, "kept/?q=hangs")],
    "mirror-left-out": lambda issue: [status_of(issue, "left-out/"), status_of(issue, "left-out/?q=hangs")],
    "fault-cite": lambda issue: [
        f"{issue.get_absolute_url()}/cite{query}" for query in ("", "?format=bibtex", "?format=csl")
    ],
    "cite": lambda issue: [f"{undescribed(issue).get_absolute_url()}/cite"],
    "chart": lambda _issue: ["/explore/charts/symptom-cause/?symptom=hang"],
    "given": lambda _issue: ["/explore/given/?symptom=hang"],
    "node": lambda _issue: ["/codebook/house/symptom/hang"],
    "cause-link": lambda _issue: ["/explore/links/curated/hang/mismatch"],
    "playbook": lambda _issue: ["/playbooks/coordination"],
    # It links to DeepSpeed#5030's record.
    "fault-playbook": lambda _issue: ["/playbooks/faults/zero-3-hang"],
    "upgrade-between": lambda _issue: ["/upgrade/deepspeed/0.14.2...0.15.4"],
    "release": lambda _issue: ["/releases/deepspeed/0.15.0/"],
    "api-upgrade": lambda _issue: ["/api/v1/upgrades/?package=deepspeed&from=0.14.2&to=0.15.4"],
    "api-search": lambda _issue: ["/api/v1/search/", "/api/v1/search/?q=hangs"],
    "api-search-similar": lambda _issue: ["/api/v1/search/similar/?title=Training+hangs"],
    "api-comments": lambda issue: [f"/api/v1/issues/{issue.pk}/comments/"],
    **_rows("issues"),
    **_rows("fixes"),
}
SHOWING_NOTHING = {
    # Files have our words alone (tests/kb/exports/test_publishing.py).
    "dumps", "dump-file", "dump-modified", "api-changes", "api-osv",
    "learn", "faq", "cookbook", "agents", "llms", "skill",
    # Its answers are to POST (tests/kb/mcp/test_untrusted.py).
    "mcp",
    "suggest", "codebook", "playbooks", "studies", "study", "map", "explore", "explore-embed", "charts", "chart-embed",
    "about", "record-agreement", "quality", "api-quality", "robots", "security",
    "opensearch", "problem", "sitemap", "sitemap-pages", "sitemap-issues",
    "healthz", "readyz", "", "api-docs", "api-root", "api-openapi-yaml", "api-openapi-json", "api-search-suggest",
    "api-nothing", "status", "mirror-status", "mirror-act", "mirror-keep", "issue-read-anew", "metrics",
    "github-webhook", "priorities", "priorities-csv", "priorities-json", "priorities-survey", "priorities-withdraw",
    "priorities-propose",
    "api-check", "api-check-report", "api-diagnose", "api-diagnosis-job", "api-charts", "api-chart",
    "report", "audits", "audit", "effort", "compare", "upgrade", "releases", "package",
    # It names the issues that a study cites; the test's own is none of them.
    "study-examples",
    "study-table-csv", "study-table-json", "study-compare", "study-claims", "study-claims-csv",
    "api-study-tables", "api-study-tables-detail", "api-priorities",
    # What is shared is of somebody's log, redacted (tests/kb/diagnose/test_redaction.py).
    "diagnose-share", "diagnose-shared", "diagnose-shared-mine", "diagnose-shared-delete", "diagnose-shared-delete-own",
    # What the page answers is of the log that was sent to it.
    "signals", "check", "check-report", "diagnose", "diagnose-job", "diagnose-job-delete",
    "diagnose-feedback", "diagnose-review", "diagnose-review-one", "diagnose-review-record", "diagnose-review-signal",
    # Searches are masked before they are counted (tests/kb/test_missed_searches.py).
    "wanted", "wanted-csv", "wanted-record", "wanted-hide", "wanted-demand",
    *(f"api-{name}{detail}" for detail in ("", "-detail") for name in (
        "frameworks", "repositories", "schemes", "nodes", "crosswalks", "cause-links", "studies", "sources",
        "signals", "hints", "claims", "playbooks", "fault-playbooks",
    )),
}  # fmt: skip


@pytest.fixture
def leaky() -> Issue:
    """A described issue with everything that lists show; its own title stands nowhere, so that the host's does."""
    mirror = make_mirror(make_repository().full_name, mirror={"keywords": KeywordList.objects.create(words=["hangs"])})
    issue = make_mirrored(mirror, 5030, title=TITLE, body=BODY, summary="It stops.", state="closed", comment_count=1)
    make_left_out(mirror, 7, title=TITLE)
    pattern = make_node("coordination", axis=make_axis("fix_pattern"))
    Playbook.objects.create(node=pattern, applies_when="Always.", steps=["Wait."], caveats=[])
    for node in (make_node("hang"), make_node("mismatch", axis=make_axis("root_cause")), pattern):
        make_label(issue, node)
    issue.fixes.add(make_fix())
    other = make_issue(title=f"Also {TITLE}", body=BODY, repository=make_repository(), comment_count=1)
    issue.related.add(other)
    for number, one in enumerate((issue, other)):
        moment = timezone.now()
        Comment.objects.create(issue=one, node_id=f"IC_{number}", body=BODY, created_at=moment, updated_at=moment)
    make_history("0.14.2", "0.15.0", "0.15.4")
    make_range(issue, fixed="0.15.0")
    make_change(title=TITLE, missing=[[None, "0.15.0"]], first_releases=["0.15.0"], closes=[issue.url])
    make_node("bug", axis=make_axis("issue_type"))
    suggest_labels(issue_ids=[issue.pk, other.pk])
    rebuild_cause_links()
    return issue


def status_of(issue: Issue, page: str) -> str:
    """A page about the mirror that the issue comes from."""
    return f"/status/{issue.repository.host}/{issue.repository.full_name}/{page}"


def shown(response: HttpResponseBase) -> bytes:
    """All that is sent; what is packed, unpacked."""
    return unpacked(content_of(response))


def unpacked(body: bytes) -> bytes:
    start = body.find(b"PK\x03\x04")
    if start < 0:
        return body
    with zipfile.ZipFile(io.BytesIO(body[start:])) as packed:
        return b"\n".join((body[:start], *(packed.read(name) for name in packed.namelist())))


def leaks(body: bytes) -> list[str]:
    return [secret for secret in SECRETS if secret.encode() in body or quote(secret).encode() in body]


class TestPagesAnswersAndFeeds:
    @pytest.mark.parametrize("name", SHOWING)
    def test_no_secret_is_shown(self, client: Client, leaky: Issue, put_issues_in: PutIssuesIn, name: str) -> None:
        put_issues_in()
        for path in SHOWING[name](leaky):
            response = client.get(path)
            body = shown(response)
            assert response.status_code == 200, path
            assert leaks(body) == [], path
            assert GONE in body, f"{path} shows nothing of the report: then this proves nothing"

    def test_every_address_says_what_it_shows(self) -> None:
        names = {route.name for route in all_routes() if not route.pattern.startswith(ELSEWHERE)}
        assert names == SHOWING.keys() | SHOWING_NOTHING

    @pytest.mark.parametrize("secret", SECRETS)
    @pytest.mark.parametrize("page", ["kept/", "left-out/"])
    def test_looking_for_a_secret_in_titles_does_not_tell_that_it_is_there(
        self, client: Client, leaky: Issue, page: str, secret: str
    ) -> None:
        assert GONE in client.get(status_of(leaky, page), {"q": "hangs"}).content
        assert GONE not in client.get(status_of(leaky, page), {"q": secret}).content

    @pytest.mark.usefixtures("leaky")
    def test_suggestions_quote_words_of_the_rules_and_nothing_beside_them(self) -> None:
        reasons = Label.objects.filter(source__kind=Source.Kind.RULE).values_list("reason", flat=True)
        assert "The title says “hangs”." in reasons
        assert leaks("\n".join(reasons).encode()) == []

    @pytest.mark.usefixtures("leaky")
    @pytest.mark.parametrize("table", ["kb/issue", "kb/label", "kb/fix", "ingest/leftout", "ingest/mirror"])
    def test_the_lists_of_the_admin_show_none(self, client: Client, table: str) -> None:
        client.force_login(User.objects.create_superuser("ada"))
        body = client.get(f"/admin/{table}/").content
        assert leaks(body) == []
        assert GONE in body or table not in ("kb/issue", "ingest/leftout")

    def test_the_admin_sees_what_was_written_and_what_others_do_not_see(self, client: Client, leaky: Issue) -> None:
        client.force_login(User.objects.create_superuser("ada"))
        body = client.get(f"/admin/kb/issue/{leaky.pk}/change/").content.decode()
        assert IN_TITLE in body
        assert IN_TEXT in body
        assert "GitHub token (3), e-mail address (1), password (1)" in body


class TestSearching:
    @pytest.mark.usefixtures("leaky")
    @pytest.mark.parametrize("query", [IN_TITLE, IN_TEXT, MAIL, PASSWORD, "token removed", "e-mail address"])
    def test_no_search_finds_a_secret_or_where_one_was(
        self, client: Client, put_issues_in: PutIssuesIn, query: str
    ) -> None:
        put_issues_in()
        assert client.get("/api/v1/search/", {"q": "hangs"}).json()["count"] == 2
        assert client.get("/api/v1/search/", {"q": f'"{query}"'}).json()["count"] == 0

    @pytest.mark.parametrize("secret", [*{secret: None for one in PASTED for secret in one.secrets}])
    def test_no_title_that_is_looked_through_holds_one(self, secret: str) -> None:
        text = "\n".join(one.text for one in PASTED if secret in one.secrets)
        make_issue(title=f"Training hangs: {text[:3_000]}")
        titles = Issue.objects.annotate(searched=WithoutSecrets("title"))
        assert titles.filter(searched__icontains="hangs").exists()
        assert not titles.filter(searched__icontains=secret).exists()


class TestFiles:
    def test_the_curated_records_hold_nothing_mirrored(self, leaky: Issue, tmp_path: Path) -> None:
        Issue.objects.filter(pk=leaky.pk).update(heading="Training hangs for ever", read_on="2026-01-01")
        call_command("export_starter", root=tmp_path)
        written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert written
        assert leaks(b"".join(written)) == []

    @pytest.mark.usefixtures("leaky")
    def test_the_export_of_what_is_mirrored_holds_none_unless_it_is_asked_for(
        self, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        call_command("export_issues")
        written = capfdbinary.readouterr().out
        assert GONE in written
        assert leaks(written) == []
        call_command("export_issues", "--as-written")
        assert leaks(capfdbinary.readouterr().out) == [*SECRETS]


class TestLabeling:
    @pytest.fixture(autouse=True)
    def _pasted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every report that rounds are made of has secrets."""

        def make_leaky(*_args: Any, **_fields: Any) -> Issue:
            return make_issue(title=TITLE, body=BODY)

        monkeypatch.setattr(labeling_factories, "make_issue", make_leaky)

    @pytest.mark.parametrize("actor", [Actor.LEAD, Actor.ANNOTATOR, Actor.ADJUDICATOR])
    def test_nobody_reads_a_secret_anywhere(self, actor: Actor) -> None:
        world = make_world()
        act(world)
        pages = read_all(browser_of(world.people[actor]), world, exports(world.slug), within=LABELING)
        read = {path: unpacked(body) for path, body in pages.items()}
        assert [path for path, body in read.items() if leaks(body)] == []
        assert [path for path, body in read.items() if IN_PLACE in body and path.startswith("/labeling/")]
        if actor is Actor.LEAD:
            assert all(IN_PLACE in read[path] for path in exports(world.slug) if path.endswith(WITH_TEXTS))

    def test_places_in_the_frozen_text_are_those_in_the_report(self) -> None:
        issue = make_issue(title=TITLE, body=BODY)
        kept = frozen(issue)
        content = kept.content
        assert kept.text_hash == text_hash(content), "who is shown a text can check its hash"
        start = BODY.index("RuntimeError")
        assert content["body"][start : start + 12] == BODY[start : start + 12]
        assert (len(content["title"]), len(content["body"])) == (len(TITLE), len(BODY))
        assert leaks(repr(content).encode()) == []

    def test_what_was_frozen_before_does_not_show_it_either(self) -> None:
        issue = make_issue(title=TITLE, body=BODY)
        old = {"title": TITLE, "body": BODY, "comments": [{"author": "ada", "body": BODY}]}
        kept = Snapshot.objects.create(issue=issue, text_hash="0" * 64, content=old)
        content = Snapshot.objects.get(pk=kept.pk).content
        assert leaks(repr(content).encode()) == []
        assert len(content["body"]) == len(BODY)

    def test_nor_do_the_comments_that_are_frozen_with_it(self, leaky: Issue) -> None:
        content = frozen(leaky, with_comments=True).content
        assert GONE[:8] in repr(content["comments"]).encode()
        assert leaks(repr(content).encode()) == []


def frozen(issue: Issue, *, with_comments: bool = False) -> Snapshot:
    rows = Issue.objects.filter(pk=issue.pk).select_related("repository").prefetch_related("fixes")
    return take_snapshots(issues=rows, with_comments=with_comments)[issue.pk]


def browser_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def exports(slug: str) -> list[str]:
    """Files of votes in every format."""
    formats = ("long_csv", "wide_csv", "long_jsonl", "wide_jsonl", "doccano", "label_studio")
    return [f"/labeling/{slug}/exchange/votes/{one}/" for one in formats]
