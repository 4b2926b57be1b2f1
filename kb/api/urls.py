"""Addresses of the API. Within v1 none of them ever changes its meaning."""

from django.urls import URLPattern, path, re_path
from django.views.generic import RedirectView

from kb.api.base import ReadViewSet
from kb.api.views import (
    changes,
    charts,
    check,
    claims,
    codebook,
    diagnose,
    documents,
    frameworks,
    hints,
    issues,
    osv,
    playbooks,
    quality,
    report,
    search,
    signals,
    studies,
    upgrades,
)


def rows(name: str, view: type[ReadViewSet], detail: str) -> list[URLPattern]:
    """A list and its single rows."""
    return [
        path(f"v1/{name}/", view.as_view({"get": "list"}), name=f"api-{name}"),
        path(f"v1/{name}/{detail}/", view.as_view({"get": "retrieve"}), name=f"api-{name}-detail"),
    ]


urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api-root")),
    path("v1/", documents.RootView.as_view(), name="api-root"),
    path("v1/openapi.yaml", documents.OpenApiYamlView.as_view(), name="api-openapi-yaml"),
    path("v1/openapi.json", documents.OpenApiJsonView.as_view(), name="api-openapi-json"),
    path("v1/search/", search.SearchViewSet.as_view({"get": "list"}), name="api-search"),
    path("v1/search/suggest/", search.SuggestView.as_view(), name="api-search-suggest"),
    path(
        "v1/search/similar/",
        search.SimilarViewSet.as_view({"get": "list", "post": "judge"}),
        name="api-search-similar",
    ),
    *rows("issues", issues.IssueViewSet, "<issue:pk>"),
    path("v1/issues/<issue:pk>/comments/", issues.CommentViewSet.as_view({"get": "list"}), name="api-comments"),
    path("v1/issues/<issue:pk>/osv/", osv.OsvView.as_view(), name="api-osv"),
    path("v1/changes/", changes.ChangesView.as_view(), name="api-changes"),
    *rows("fixes", issues.FixViewSet, "<int:pk>"),
    *rows("frameworks", frameworks.FrameworkViewSet, "<slug:slug>"),
    *rows("repositories", frameworks.RepositoryViewSet, "<int:pk>"),
    *rows("schemes", codebook.SchemeViewSet, "<slug:slug>"),
    *rows("nodes", codebook.NodeViewSet, "<slug:scheme>/<slug:axis>/<text:code>"),
    *rows("crosswalks", codebook.CrosswalkViewSet, "<int:pk>"),
    *rows("cause-links", codebook.CauseLinkViewSet, "<int:pk>"),
    *rows("studies", codebook.StudyViewSet, "<slug:slug>"),
    path(
        "v1/studies/<slug:slug>/tables/",
        studies.StudyTableViewSet.as_view({"get": "list"}),
        name="api-study-tables",
    ),
    path(
        "v1/studies/<slug:slug>/tables/<slug:table>/",
        studies.StudyTableViewSet.as_view({"get": "retrieve"}),
        name="api-study-tables-detail",
    ),
    *rows("claims", claims.ClaimViewSet, "<slug:study>/<slug:slug>"),
    *rows("playbooks", playbooks.PlaybookViewSet, "<text:code>"),
    *rows("fault-playbooks", playbooks.FaultPlaybookViewSet, "<slug:slug>"),
    path("v1/priorities/", studies.PrioritiesView.as_view(), name="api-priorities"),
    *rows("sources", codebook.SourceViewSet, "<slug:slug>"),
    *rows("hints", hints.HintViewSet, "<slug:axis>/<text:code>"),
    *rows("signals", signals.SignalViewSet, "<slug:code>"),
    path("v1/charts/", charts.ChartsView.as_view(), name="api-charts"),
    path("v1/charts/<slug:slug>/", charts.ChartView.as_view(), name="api-chart"),
    path("v1/check", check.CheckView.as_view(), name="api-check"),
    path("v1/check/", check.CheckView.as_view(schema=None)),
    path("v1/quality/", quality.QualityView.as_view(), name="api-quality"),
    path("v1/check/report", report.ReportCheckView.as_view(), name="api-check-report"),
    path("v1/check/report/", report.ReportCheckView.as_view(schema=None)),
    path("v1/upgrades/", upgrades.UpgradeView.as_view(), name="api-upgrade"),
    path("v1/diagnose", diagnose.DiagnoseView.as_view(), name="api-diagnose"),
    path("v1/diagnose/jobs/<uuid:job>", diagnose.DiagnosisJobView.as_view(), name="api-diagnosis-job"),
    # With the last slash, as everywhere else here.
    path("v1/diagnose/", diagnose.DiagnoseView.as_view(schema=None)),
    path("v1/diagnose/jobs/<uuid:job>/", diagnose.DiagnosisJobView.as_view(schema=None)),
    re_path(r"", documents.NothingView.as_view(), name="api-nothing"),
]
