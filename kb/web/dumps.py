"""The page of the dumps, and their files: whole or in parts, with validators, as programs fetch large files."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.responders import StaticFile  # type: ignore[import-untyped]

from kb.exports import citations
from kb.exports.dumps.described import MEDIA
from kb.exports.dumps.publishing import TABLES
from kb.exports.dumps.versions import LATEST, file_in, versions_in
from kb.http.site import absolute

# A version is made again on its day only, where knowledge changed.
HEADERS = (("Cache-Control", "public, max-age=3600"), ("Access-Control-Allow-Origin", "*"))

# What most people come for, in this order; the other files are tables, and what describes them.
WHOLE = {
    "faultbook.sqlite": "All tables in one file, with full text",
    "records.zip": "The records as files, which another server loads",
    "osv.zip": "Faults with ranges of versions, in OSV's format",
    "faultbook-client.json.zst": "What the client answers from without a server",
    "modified.csv": "Public ids, and when each was changed",
}


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The versions, the files of the newest one, how to load and to cite them."""
    versions = versions_in(settings.DUMPS_DIR)
    newest = versions[0] if versions else None
    item = citations.Item(
        key=citations.item_key("dump", newest.name if newest else ""),
        title="Known faults of frameworks for large models, data set",
        name=newest.name if newest else "",
        page_url=absolute(request, reverse("dumps")),
    )
    files = {file.name: file for file in newest.files} if newest else {}
    tables = []
    for table in TABLES:
        both = (files.pop(f"jsonl/{table.name}.jsonl.zst", None), files.pop(f"parquet/{table.name}.parquet", None))
        tables.append((table, both))
    whole = [(files.pop(name), about) for name, about in WHOLE.items() if name in files]
    context = {
        "newest": newest,
        "versions": versions,
        "whole": whole,
        "tables": tables,
        "beside": files.values(),
        **citations.cite(item, accessed=timezone.localdate()),
    }
    return render(request, "kb/dumps.html", context)


@require_safe
def file(request: HttpRequest, version: str, name: str) -> HttpResponseBase:
    """A file of a version. Raises `Http404`."""
    if version == LATEST:
        return _redirect_to_newest(name)
    path = file_in(settings.DUMPS_DIR, version, name)
    if path is None:
        raise Http404("There is no such file of a dump.")
    kind = MEDIA.get(path.suffix, "text/plain; charset=utf-8")
    answer: HttpResponseBase = WhiteNoiseMiddleware.serve(
        StaticFile(str(path), [*HEADERS, ("Content-Type", kind)]), request
    )
    return answer


def _redirect_to_newest(name: str) -> HttpResponse:
    """By the version's own name, so that files fetched one after the other are of one version."""
    versions = versions_in(settings.DUMPS_DIR)
    if not versions or file_in(settings.DUMPS_DIR, versions[0].name, name) is None:
        raise Http404("There is no such file of a dump.")
    return HttpResponseRedirect(reverse("dump-file", args=(versions[0].name, name)))
