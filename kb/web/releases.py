"""Releases: the packages, one package with all of its releases, and one release."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.caption import Origin
from kb.charts.releases import CAVEAT, draw_releases, release_caption
from kb.core.versions import as_version
from kb.http.site import absolute
from kb.selectors import releases as read
from kb.selectors.remembered import remembered
from kb.selectors.upgrades import fix_lines
from kb.web.explore.files import csv_file
from kb.web.versions import SHOWN, FaultList, maybe_open


@require_safe
def packages(request: HttpRequest) -> HttpResponse:
    """Every package with a known range or a history, and how far its history was read."""
    return render(request, "kb/releases/packages.html", {"packages": read.packages()})


def _package(name: str) -> read.Package:
    package = read.find_package(name)
    if package is None:
        raise Http404("No history of this package was read, and no record names its versions.")
    return package


@require_safe
def package(request: HttpRequest, package: str) -> HttpResponse:
    """One package: the faults known of each release as a chart, and its releases."""
    shown = _package(package)
    canonical = reverse("package", args=(shown.name,))
    if request.path != canonical:
        return redirect(canonical)
    drawn = remembered(f"releases:{shown.name}", lambda: draw_releases(shown))
    match request.GET.get("format"):
        case "csv":
            return csv_file(f"faultbook-releases-{shown.name.replace('/', '-')}.csv", drawn.records)
        case "json":
            return JsonResponse({"package": shown.name, "notes": [CAVEAT, *drawn.notes], "records": drawn.records})
    origin = Origin("", "", timezone.localdate(), (), absolute(request, canonical))
    context = {
        "package": shown,
        "trail": [("Releases", reverse("releases"))],
        "releases": shown.releases[::-1],
        "drawn": drawn,
        "about": release_caption(shown, drawn, origin),
        "base": canonical,
        "query": "?",
        "newest": shown.versions[-1][1].version if shown.versions else "",
    }
    return render(request, "kb/releases/package.html", context)


@require_safe
def release(request: HttpRequest, package: str, version: str) -> HttpResponse:
    """One version: what it fixes, what was first reported on it, and what is still open in it."""
    shown, parsed = _package(package), as_version(version)
    if parsed is None:
        raise Http404("This is no version.")
    canonical = reverse("release", args=(shown.name, parsed))
    if request.path != canonical:
        return redirect(canonical)
    facts = read.release_facts(shown, parsed)
    newest = shown.versions[-1][0] if shown.versions else None
    context = {
        "package": shown,
        "facts": facts,
        "trail": [("Releases", reverse("releases")), (shown.name, reverse("package", args=(shown.name,)))],
        "nearest": shown.nearest(parsed) if facts.release is None else (),
        "lists": [
            FaultList("fixed", "Fixed here", facts.fixed),
            FaultList("new", "Introduced or first reported here", facts.new),
            FaultList("open", "Still open here", facts.still),
            maybe_open(str(parsed), facts.maybe),
        ],
        "fixes_are_open": len(facts.fixes) <= SHOWN,
        "fixes": fix_lines(facts.fixes, str(parsed)),
        "newest": newest if newest and newest > parsed else None,
    }
    return render(request, "kb/releases/release.html", context)
