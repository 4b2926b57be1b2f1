"""The upgrade advisor: choosing a package and two versions, and what changes between them."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe
from packaging.version import Version

from kb.core.check.texts import NotCheckedError, limited
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup
from kb.core.versions import as_version
from kb.http.site import absolute
from kb.selectors.releases import Package, find_package, packages
from kb.selectors.upgrades import upgrade
from kb.web.rates import within_rate
from kb.web.versions import SHOWN, FaultList, maybe_open

FIXES_PER_PAGE = 50


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """The form; with `?package=`, `?from=` and maybe `?to=` it leads to the upgrade."""
    name, start, target = (request.GET.get(key, "").strip() for key in ("package", "from", "to"))
    package = find_package(name) if name else None
    if package and not target and package.versions:
        target = package.versions[-1][1].version
    if package and as_version(start) and as_version(target):
        return redirect("upgrade-between", package.name, start, target)
    return _form(request, package, start=start, target=target, name=name)


def _form(request: HttpRequest, package: Package | None, *, name: str, start: str, target: str) -> HttpResponse:
    """The form with what was given, and what is wrong with it."""
    faults = [
        f"“{text[:60]}” is no version. Write it as 0.15.4." for text in (start, target) if text and not as_version(text)
    ]
    if name and package is None:
        faults.append(
            f"Nothing is known of “{name[:80]}”: no history of it was read, and no record names its versions."
        )
    context = {
        "packages": packages(),
        "package": package,
        "versions": _newest_first(package),
        "faults": faults,
        "given": {"name": package.name if package else name, "start": start, "target": target},
    }
    return render(request, "kb/upgrade/choose.html", context, status=404 if faults else 200)


def _newest_first(package: Package | None) -> list[str]:
    return [release.version for _, release in reversed(package.versions)] if package else []


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("diagnosis", methods=("POST",))
def between(request: HttpRequest, package: str, start: str, target: str) -> HttpResponse:
    """What changes between two versions, for a set-up if one is sent; a downgrade is shown as the upgrade back.

    Nothing of a set-up is stored: it needs no token.
    """
    shown = find_package(package)
    first, second = as_version(start), as_version(target)
    if shown is None or first is None or second is None:
        return _form(request, shown, name=package, start=start, target=target)
    canonical = reverse("upgrade-between", args=(shown.name, first, second))
    if request.path != canonical and request.method != "POST":
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{canonical}?{query}" if query else canonical)
    response = _between(request, shown, first, second)
    if request.method == "POST":
        add_never_cache_headers(response)
    return response


def _between(request: HttpRequest, package: Package, first: Version, second: Version) -> HttpResponse:
    start, target = sorted((first, second))
    text = request.POST.get("setup", "")
    setup, refusal = _setup(text) if request.method == "POST" else (None, "")
    changes = upgrade(package, start, target, setup)
    fixes = Paginator(changes.fixes, FIXES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "package": package,
        "upgrade": changes,
        "trail": [("Upgrade", reverse("upgrade")), (package.name, reverse("package", args=(package.name,)))],
        "here": f"{start} → {target}",
        "is_swapped": first > second,
        "is_same": first == second,
        "setup": setup,
        "setup_text": "" if refusal else text,
        "refusal": refusal,
        "unknown": _unknown(package, start, target),
        "lists": [
            FaultList("fixed", f"Fixed on the way to {target}", changes.fixed),
            FaultList("new", "Introduced or first reported on the way", changes.new),
            FaultList("open", f"Still open in {target}", changes.open),
            maybe_open(str(target), changes.maybe),
        ],
        "fixes": fixes,
        "page_numbers": fixes.paginator.get_elided_page_range(fixes.number, on_each_side=1, on_ends=1),
        "fixes_are_open": "page" in request.GET or len(changes.fixes) <= SHOWN,
        "versions": _newest_first(package),
        "packages": packages(),
        "given": {"name": package.name, "start": str(start), "target": str(target)},
        "canonical": absolute(request, reverse("upgrade-between", args=(package.name, start, target))),
        "api_url": f"{reverse('api-upgrade')}?package={package.name}&from={start}&to={target}",
    }
    return render(request, "kb/upgrade/between.html", context, status=400 if refusal else 200)


def _setup(text: str) -> tuple[Setup | None, str]:
    """The set-up that a text is of, or why it cannot be read."""
    try:
        return read_setup(limited([("pasted", text)])), ""
    except NotCheckedError as error:
        return None, str(error)


def _unknown(package: Package, *versions: Version) -> list[tuple[Version, tuple[str, ...]]]:
    """The versions that are no release of a history that was read, with the nearest ones."""
    if not package.versions:
        return []
    return [(version, package.nearest(version)) for version in versions if package.release(version) is None]
