"""The project's own items: their list, uploading a file of them, what it would give, and deleting what no round has."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from kb.exports.tables import csv_lines
from kb.http.downloads import download, streamed
from labeling.exchange import item_intake as services
from labeling.exchange.items import FORMATS, write
from labeling.models import Job, Member, OwnItemFile, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors.own_items import item_file, item_rows, own_items, unused_items
from labeling.services import jobs
from labeling.web.access import page_context, project_action, project_form, project_page
from labeling.web.forms import PlainForm, act_and_redirect, form_status, number_from
from labeling.web.results.jobs import hand_over

PAGE = 100
MOST_WORDS = 200


class ItemsForm(PlainForm):
    """A file of own items."""

    file = forms.FileField(
        label="CSV or JSON lines",
        help_text="With id, title, text and address; only id, and title or text, must be there. UTF-8, at most "
        f"{services.MOST_BYTES // 1_000_000} MB. You see first what it would give.",
    )


@project_form(Role.LEAD)
def items(request: HttpRequest, member: Member) -> HttpResponse:
    """The items, found by words of their id or title; a file that is sent is stored with its dry run."""
    form = ItemsForm(request.POST, request.FILES) if request.method == "POST" else ItemsForm()
    if form.is_bound and form.is_valid():
        kept = _keep_file(member, form)
        if kept is not None:
            file, job = kept
            return hand_over(request, job) if job else redirect("labeling:items-file", member.project.slug, file.pk)
    words = request.GET.get("q", "").replace("\x00", "").strip()[:MOST_WORDS]
    pages = Paginator(own_items(project_id=member.project_id, words=words), PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = page_context(member, "rounds") | {
        "form": form,
        "page": page,
        "page_numbers": pages.get_elided_page_range(page.number),
        "words": words,
        "unused": unused_items(project_id=member.project_id).count(),
        "formats": FORMATS,
        "job": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.ITEMS),
    }
    return render(request, "labeling/setup/items.html", context, status=form_status(form))


@project_form(Role.LEAD)
def file_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What the file that waits would give, and taking it in."""
    file = _file(member, number)
    if request.method == "POST":
        leave_out = request.POST.get("leave_out") == "1"
        try:
            job = services.take_file_in(lead=member, file=file, leave_out=leave_out)
        except RefusedError as refused:
            messages.error(request, str(refused))
            return redirect("labeling:items-file", member.project.slug, number)
        if job is not None:
            return hand_over(request, job)
        messages.success(request, f"{file.report['new']:,} new items are in. Next: give them to a round.")
        return redirect("labeling:items", member.project.slug)
    if not file.report:
        job = jobs.unfinished(project_id=member.project_id, kind=Job.Kind.ITEMS)
        if job is not None:
            return redirect("labeling:job", member.project.slug, job.pk)
        messages.error(request, "This file could not be read. Correct it, and upload it again.")
        return redirect("labeling:items", member.project.slug)
    context = page_context(member, "rounds") | {"file": file}
    return render(request, "labeling/setup/items_file.html", context)


@project_page(Role.LEAD)
def rejected(request: HttpRequest, member: Member, number: int) -> HttpResponse:  # noqa: ARG001 as every view
    """Every row of the file that cannot be taken, with its reason, as CSV."""
    batches = services.check(project_id=member.project_id, content=bytes(_file(member, number).content))
    rows = [(row.line, row.reason) for batch in batches for row in batch.rejected]
    return download(f"rejected-items-{number}.csv", "".join(csv_lines([("line", "reason"), *rows])))


@project_page(Role.LEAD)
def download_items(request: HttpRequest, member: Member, extension: str) -> HttpResponseBase:  # noqa: ARG001 as every view
    """All items as a file that can be uploaded again."""
    if extension not in FORMATS:
        raise Http404
    rows = item_rows(project_id=member.project_id)
    return streamed(f"{member.project.slug}-items.{extension}", write(rows, extension), FORMATS[extension])


@project_action(Role.LEAD)
def deletion(request: HttpRequest, member: Member) -> HttpResponse:
    """Delete one item that no round has, or all such."""
    pk = number_from(request.POST.get("item", ""), 0, digits=18) or None
    return act_and_redirect(
        request, lambda: services.delete_unused(lead=member, pk=pk), "Deleted.",
        reverse("labeling:items", args=[member.project.slug]),
    )  # fmt: skip


def _file(member: Member, number: int) -> OwnItemFile:
    with missing_as_404():
        return item_file(member=member, pk=number)


def _keep_file(member: Member, form: ItemsForm) -> tuple[OwnItemFile, Job | None] | None:
    """Store the file, with the job that reads a large one; None where it was refused, and the form says why."""
    upload = form.cleaned_data["file"]
    if upload.size > services.MOST_BYTES:
        form.add_error("file", f"The file has more than {services.MOST_BYTES // 1_000_000} MB. Upload it in parts.")
        return None
    try:
        return services.keep_file(lead=member, content=upload.read(), filename=upload.name)
    except RefusedError as refused:
        form.add_error("file", str(refused))
        return None
