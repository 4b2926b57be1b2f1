"""The guidelines: reading them, writing the next version, and what changed from one to another."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from kb.web.markup.markdown import render_document
from labeling.models import Guideline, Member, Role
from labeling.selectors import guidelines as selectors
from labeling.services.codebooks import write_guideline
from labeling.web.access import page_context, project_form, project_page
from labeling.web.forms import PlainForm, apply_form, number_from, posted_data
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
        label="What changed, and why",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Annotators read this first. The first version needs none.",
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput)


@project_page()
def guidelines(request: HttpRequest, member: Member) -> HttpResponse:
    """The newest guidelines."""
    return _page(request, member, selectors.newest(project_id=member.project_id), is_newest=True)


@project_page()
def version(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """The guidelines in one version."""
    guideline = selectors.by_number(project_id=member.project_id, number=version)
    if guideline is None:
        raise Http404
    newest = selectors.newest(project_id=member.project_id)
    return _page(request, member, guideline, is_newest=guideline == newest)


def _page(request: HttpRequest, member: Member, guideline: Guideline | None, *, is_newest: bool) -> HttpResponse:
    context = page_context(member, "guidelines") | {
        "guideline": guideline,
        "is_newest": is_newest,
        "text": render_document(guideline.text) if guideline else "",
        "is_lead": member.has(Role.LEAD),
    }
    return render(request, "labeling/setup/guidelines.html", context)


@project_form(Role.LEAD)
def writing(request: HttpRequest, member: Member) -> HttpResponse:
    """Write the next version; the button Preview renders it without saving it."""
    number, text = 0, ""
    newest = selectors.newest(project_id=member.project_id)
    if newest:
        number, text = newest.number, newest.text
    form = GuidelineForm(posted_data(request), initial={"text": text, "based_on": number})
    is_preview = "preview" in request.POST
    is_final = request.method == "POST" and not is_preview
    if is_final and apply_form(form, lambda: write_guideline(lead=member, **form.cleaned_data)):
        messages.success(request, "New version saved. New rounds use it.")
        return redirect("labeling:guidelines", member.project.slug)
    preview = render_document(request.POST.get("text", "")[:MOST_TEXT]) if is_preview else ""
    context = page_context(member, "guidelines") | {
        "form": form,
        "preview": preview,
        "is_preview": is_preview,
        "next": number + 1,
    }
    return render(request, "labeling/setup/write_guidelines.html", context)


@project_page()
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """All versions, with what each changed and which rounds use it."""
    context = page_context(member, "guidelines") | {"versions": selectors.history(member=member)}
    return render(request, "labeling/setup/guideline_history.html", context)


@project_page()
def changes(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """The diff of one version to the one before, or to an earlier one by `?since=`."""
    earlier = number_from(request.GET.get("since", ""), version - 1, digits=5)
    new = selectors.by_number(project_id=member.project_id, number=version)
    old = selectors.by_number(project_id=member.project_id, number=earlier)
    if new is None or (old is None and earlier):
        raise Http404
    context = page_context(member, "guidelines") | {
        "old": old,
        "new": new,
        "lines": differences(old.text if old else "", new.text),
        "earlier": range(1, version),
    }
    return render(request, "labeling/setup/guideline_changes.html", context)
