"""The project's codebook: its axes and nodes by version, what changed, and the rules across axes."""

from itertools import groupby
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.models import Codebook, CrossRule, Member, ProjectNode, Role
from labeling.selectors import codebook_history as read
from labeling.selectors.codebooks import axes_of
from labeling.services.cross_rules import add_rule, retire_rule
from labeling.web.access import project_page
from labeling.web.answers import PlainForm, is_done, said, sent

Groups = list[tuple[str, list[tuple[str, str]]]]


class RuleForm(PlainForm):
    """A rule across axes; its nodes are those of a codebook."""

    when = forms.ChoiceField(label="If a vote says")
    kind = forms.TypedChoiceField(
        label="Then, on another axis, it", choices=CrossRule.Kind.choices, coerce=CrossRule.Kind, initial="requires"
    )
    others = forms.MultipleChoiceField(
        label="These answers",
        widget=forms.SelectMultiple(attrs={"size": 12}),
        help_text="Several: hold Ctrl or ⌘ while you choose.",
    )
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown to who votes against it; they may still do so, with a reason of their own.",
    )

    def __init__(self, *args: Any, codebook: Codebook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._nodes: dict[str, ProjectNode] = {}
        groups = self._groups(codebook)
        self.fields["when"].choices = [("", "Choose an answer"), *groups]  # type: ignore[attr-defined]
        self.fields["others"].choices = groups  # type: ignore[attr-defined]

    def _groups(self, codebook: Codebook) -> Groups:
        found: Groups = []
        for axis, versions in groupby(
            ((one.axis, version) for one in axes_of(codebook=codebook) for version in one.versions),
            key=lambda pair: pair[0].name,
        ):
            rows = [(str(version.node_id), version) for _, version in versions]
            self._nodes |= {key: version.node for key, version in rows}
            found.append((axis, [(key, version.name) for key, version in rows]))
        return found

    def values(self) -> dict[str, Any]:
        """What the service wants."""
        chosen = self.cleaned_data
        return chosen | {
            "when": self._nodes[chosen["when"]],
            "others": [self._nodes[key] for key in chosen["others"]],
        }


@require_safe
@project_page()
def codebook(request: HttpRequest, member: Member, version: int | None = None) -> HttpResponse:
    """The codebook in its newest version, or in an earlier one."""
    found = _found(member, version)
    newest = found if version is None else _found(member, None)
    context = {
        "member": member, "project": member.project, "here": "codebook", "codebook": found, "newest": newest,
        "trees": read.trees(codebook=found), "rules": read.rules(codebook=found),
        "opened": request.GET.get("open") == "all",
    }  # fmt: skip
    return render(request, "labeling/setup/codebook.html", context)


@require_safe
@project_page()
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """All versions, with what each changed."""
    context = {
        "member": member, "project": member.project, "here": "codebook",
        "steps": read.steps(project_id=member.project_id),
    }  # fmt: skip
    return render(request, "labeling/setup/codebook_history.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page()
def rules(request: HttpRequest, member: Member) -> HttpResponse:
    """The rules across axes; leads add one by POST."""
    found = _found(member, None)
    form = RuleForm(sent(request), codebook=found) if member.has(Role.LEAD) else None
    if request.method == "POST" and form is None:
        raise PermissionDenied
    if request.method == "POST" and form and is_done(form, lambda: add_rule(lead=member, **form.values())):
        messages.success(request, "The rule is in force for every vote from now on.")
        return redirect("labeling:rules", member.project.slug)
    context = {
        "member": member, "project": member.project, "here": "codebook", "form": form,
        "rules": read.rules(codebook=found), "retired": read.rules(codebook=found, retired=True),
    }  # fmt: skip
    return render(request, "labeling/setup/rules.html", context)


@require_POST
@project_page(Role.LEAD)
def retirement(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Retire a rule."""
    found = CrossRule.objects.filter(pk=pk, project=member.project_id).first()
    if found is None:
        raise Http404

    def action() -> str:
        retire_rule(lead=member, rule=found)
        return "The rule is retired: votes need not keep to it any more."

    return said(request, action, reverse("labeling:rules", args=[member.project.slug]))


def _found(member: Member, number: int | None) -> Codebook:
    found = read.find(project_id=member.project_id, number=number)
    if found is None:
        raise Http404
    return found
