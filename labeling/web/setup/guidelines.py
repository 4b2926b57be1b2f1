"""The guidelines: reading them, writing the next version, and what changed from one to another."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from kb.web.markup.markdown import render_document
from labeling.models import Guideline, Member, Role
from labeling.selectors import guidelines as read
from labeling.services.codebooks import write_guideline
from labeling.web.access import project_page
from labeling.web.answers import PlainForm, is_done, sent
from labeling.web.setup.differences import differences

MOST_TEXT = 200_000


class GuidelineForm(PlainForm):
    """The next version of the guidelines."""

    text = forms.CharField(
        max_length=MOST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "class": "form-control writing"}),
        help_text="Markdown: # for headings, - for lists, **bold**, `code`, tables.",
    )
    change = forms.CharField(
        label="What is new, and why",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Annotators read this first. The first version needs none.",
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput)


@require_safe
@project_page()
def guidelines(request: HttpRequest, member: Member) -> HttpResponse:
    """The newest guidelines."""
    return _page(request, member, read.newest(project_id=member.project_id), is_newest=True)


@require_safe
@project_page()
def version(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """The guidelines as they were in one version."""
    newest = read.newest(project_id=member.project_id)
    found = read.by_number(project_id=member.project_id, number=version)
    if found is None:
        raise Http404
    return _page(request, member, found, is_newest=found == newest)


def _page(request: HttpRequest, member: Member, shown: Guideline | None, *, is_newest: bool) -> HttpResponse:
    context = {
        "member": member, "project": member.project, "here": "guidelines", "guideline": shown, "is_newest": is_newest,
        "text": render_document(shown.text) if shown else "", "is_lead": member.has(Role.LEAD),
    }  # fmt: skip
    return render(request, "labeling/setup/guidelines.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def writing(request: HttpRequest, member: Member) -> HttpResponse:
    """Write the next version; the button Preview shows it without keeping it."""
    newest = read.newest(project_id=member.project_id)
    number = newest.number if newest else 0
    form = GuidelineForm(sent(request), initial={"text": newest.text if newest else "", "based_on": number})
    is_preview = "preview" in request.POST
    if request.method == "POST" and not is_preview and is_done(form, lambda: _write(member, form)):
        messages.success(request, "The new version is there. Rounds that are prepared from now on go by it.")
        return redirect("labeling:guidelines", member.project.slug)
    preview = render_document(request.POST.get("text", "")[:MOST_TEXT]) if is_preview else ""
    context = {
        "member": member, "project": member.project, "here": "guidelines", "form": form, "preview": preview,
        "is_preview": is_preview, "next": number + 1,
    }  # fmt: skip
    return render(request, "labeling/setup/write_guidelines.html", context)


def _write(lead: Member, form: GuidelineForm) -> None:
    write_guideline(lead=lead, **form.cleaned_data)


@require_safe
@project_page()
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """All versions, with what each changed and which rounds went by it."""
    context = {
        "member": member, "project": member.project, "here": "guidelines", "versions": read.history(member=member),
    }  # fmt: skip
    return render(request, "labeling/setup/guideline_history.html", context)


@require_safe
@project_page()
def changes(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """What one version changed in the text: against the one before, or `?since=` an earlier one."""
    since = request.GET.get("since", "")
    earlier = int(since) if since.isdecimal() and len(since) < 6 else version - 1
    new = read.by_number(project_id=member.project_id, number=version)
    old = read.by_number(project_id=member.project_id, number=earlier)
    if new is None or (old is None and earlier):
        raise Http404
    context = {
        "member": member, "project": member.project, "here": "guidelines", "old": old, "new": new,
        "lines": differences(old.text if old else "", new.text), "earlier": range(1, version),
    }  # fmt: skip
    return render(request, "labeling/setup/guideline_changes.html", context)
