"""Addresses of the pages. Every page is a GET that can be bookmarked, shared and cited."""

from django.urls import path
from django.views.generic import RedirectView

from kb.web import (
    agents,
    check,
    claims,
    codebook,
    examples,
    health,
    home,
    pages,
    releases,
    studies,
    upgrade,
    wanted,
    well_known,
)
from kb.web import report as report_check
from kb.web.diagnose import feedback as diagnose_feedback
from kb.web.diagnose import page as diagnose_page
from kb.web.diagnose import review as diagnose_review
from kb.web.diagnose import sharing as diagnose_sharing
from kb.web.diagnose import signals as diagnose_signals
from kb.web.explore import (
    audit,
    cause_link,
    charts,
    compare,
    dashboard,
    effort,
    fault_playbook,
    given,
    playbooks,
    priorities,
    proposal,
    report,
    side_by_side,
    survey,
)
from kb.web.issue import page as issues
from kb.web.issue import threads
from kb.web.quality import page as quality
from kb.web.search import feed
from kb.web.search import page as search

urlpatterns = [
    path("robots.txt", well_known.robots, name="robots"),
    path(".well-known/security.txt", well_known.security, name="security"),
    path("llms.txt", agents.llms, name="llms"),
    path("skill.md", agents.skill, name="skill"),
    path("", home.home, name="home"),
    path("issues/", search.search_page, name="search"),
    path("issues/suggest", search.suggest, name="suggest"),
    path("issues/reported/", search.reported, name="reported"),
    path("issues/feed.atom", feed.feed, name="feed"),
    path("issues/<fault:public_id>", issues.issue_page, name="fault"),
    path("issues/<fault:public_id>/", RedirectView.as_view(pattern_name="fault", permanent=True, query_string=True)),
    path("issues/<fault:public_id>/cite", issues.cite, name="fault-cite"),
    path("issues/<fault:public_id>/comments", threads.comments_page, name="fault-comments"),
    path("issues/<text:host>/<text:owner>/<text:name>/<text:ref>", issues.issue_page, name="issue"),
    path("issues/<text:host>/<text:owner>/<text:name>/<text:ref>/cite", issues.cite, name="cite"),
    path(
        "issues/<text:host>/<text:owner>/<text:name>/<text:ref>/comments", threads.comments_page, name="issue-comments"
    ),
    path("learn/", pages.learn, name="learn"),
    path("codebook/", codebook.codebook, name="codebook"),
    path("codebook/<slug:scheme>/<slug:axis>/<text:code>", codebook.node, name="node"),
    path("playbooks/", playbooks.playbooks, name="playbooks"),
    path("playbooks/faults/<slug:slug>", fault_playbook.playbook_of_fault, name="fault-playbook"),
    path("playbooks/<text:code>", playbooks.playbook, name="playbook"),
    path("studies/", studies.studies, name="studies"),
    path("studies/compare", compare.compare, name="study-compare"),
    path("studies/claims", claims.claims_page, name="study-claims"),
    path("studies/claims.csv", claims.claims_csv, name="study-claims-csv"),
    path("studies/<slug:slug>/examples/", examples.study_examples, name="study-examples"),
    path("studies/<slug:slug>", studies.study, name="study"),
    path("studies/<slug:slug>/tables/<slug:table>.csv", studies.table_csv, name="study-table-csv"),
    path("studies/<slug:slug>/tables/<slug:table>.json", studies.table_json, name="study-table-json"),
    path("explore/links/<slug:source>/<text:symptom>/<text:cause>", cause_link.cause_link, name="cause-link"),
    path("explore/", dashboard.dashboard, name="explore"),
    path("explore/embed", dashboard.dashboard_embed, name="explore-embed"),
    path("explore/charts/", dashboard.charts, name="charts"),
    path("explore/charts/<slug:slug>/", charts.chart, name="chart"),
    path("explore/charts/<slug:slug>/embed", charts.embed, name="chart-embed"),
    path("explore/given/", given.given_symptom, name="given"),
    path("explore/report/", report.report, name="report"),
    path("explore/effort/", effort.effort, name="effort"),
    path("explore/compare/", side_by_side.compare_sides, name="compare"),
    path("map/", charts.old_map, name="map"),
    path("explore/priorities/", priorities.priorities, name="priorities"),
    path("explore/priorities/results.csv", priorities.priorities_csv, name="priorities-csv"),
    path("explore/priorities/results.json", priorities.priorities_json, name="priorities-json"),
    path("explore/priorities/survey/", survey.survey, name="priorities-survey"),
    path("explore/priorities/survey/propose/", proposal.propose, name="priorities-propose"),
    path("explore/priorities/survey/withdraw/", survey.withdraw, name="priorities-withdraw"),
    path("explore/audit/", audit.audits, name="audits"),
    path("explore/audit/<slug:slug>", audit.audit_page, name="audit"),
    path("check/", check.check_page, name="check"),
    path("check/report/", report_check.report_page, name="check-report"),
    path("diagnose/", diagnose_page.diagnose, name="diagnose"),
    path("diagnose/jobs/<uuid:job_id>/", diagnose_page.job, name="diagnose-job"),
    path("diagnose/jobs/<uuid:job_id>/delete/", diagnose_page.forget, name="diagnose-job-delete"),
    path("diagnose/signals/", diagnose_signals.signals, name="signals"),
    path("diagnose/share/", diagnose_sharing.share, name="diagnose-share"),
    path("diagnose/shared/", diagnose_sharing.mine, name="diagnose-shared-mine"),
    path("diagnose/shared/<text:token>/", diagnose_sharing.shared, name="diagnose-shared"),
    path("diagnose/shared/<text:token>/delete/", diagnose_sharing.delete, name="diagnose-shared-delete-own"),
    path("diagnose/shared/<text:token>/delete/<text:secret>/", diagnose_sharing.delete, name="diagnose-shared-delete"),
    path("diagnose/feedback/", diagnose_feedback.feedback, name="diagnose-feedback"),
    path("diagnose/review/", diagnose_review.queue, name="diagnose-review"),
    path("diagnose/review/<int:pk>/", diagnose_review.detail, name="diagnose-review-one"),
    path("diagnose/review/<int:pk>/record.yaml", diagnose_review.record, name="diagnose-review-record"),
    path("diagnose/review/<int:pk>/signal.yaml", diagnose_review.signal, name="diagnose-review-signal"),
    path("wanted/", wanted.page, name="wanted"),
    path("wanted/wanted.csv", wanted.as_file, name="wanted-csv"),
    path("wanted/record.yaml", wanted.record, name="wanted-record"),
    path("wanted/<int:pk>/hide/", wanted.hide, name="wanted-hide"),
    path("wanted/<int:pk>/demand.yaml", wanted.demand, name="wanted-demand"),
    path("upgrade/", upgrade.choose, name="upgrade"),
    path("upgrade/<package:package>/<text:start>...<text:target>", upgrade.between, name="upgrade-between"),
    path("releases/", releases.packages, name="releases"),
    # Before the package's: its name may be owner/name.
    path("releases/<package:package>/<version:version>/", releases.release, name="release"),
    path("releases/<package:package>/", releases.package, name="package"),
    path("about/", pages.about, name="about"),
    # Before the API, which answers every other address below /api/.
    path("api/docs/", pages.api_docs, name="api-docs"),
    path("about/faq/", pages.faq, name="faq"),
    path("about/cookbook/", pages.cookbook, name="cookbook"),
    path("about/agents/", pages.agents, name="agents"),
    path("about/agreement/", pages.record_agreement, name="record-agreement"),
    path("about/quality/", quality.quality, name="quality"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
