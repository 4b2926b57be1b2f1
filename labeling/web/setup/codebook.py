"""The project's codebook: its axes and nodes by version, what changed, and the rules across axes."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Codebook, CrossRule, Member, Role
from labeling.refusals import missing_as_404
from labeling.selectors import codebook_history as selectors
from labeling.selectors.axes import has_votes
from labeling.selectors.coding_board import made_of
from labeling.services.cross_rules import add_rule, retire_rule
from labeling.web.access import page_context, project_action, project_form, project_page
from labeling.web.choices import node_choices
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, posted_data


class RuleForm(PlainForm):
    """A rule across axes; its nodes are those of a codebook."""

    when = forms.ChoiceField(label="If a vote says")
    kind = forms.TypedChoiceField(
        label="Then, on another axis, it", choices=CrossRule.Kind.choices, coerce=CrossRule.Kind, initial="requires"
    )
    others = forms.MultipleChoiceField(
        label="These answers",
        widget=forms.SelectMultiple(attrs={"size": 12}),
        help_text="Hold Ctrl or ⌘ to choose several.",
    )
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown to annotators who vote against it; they still can, with a reason.",
    )

    def __init__(self, *args: Any, codebook: Codebook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._nodes, groups = node_choices(codebook)
        self.fields["when"].choices = [("", "Choose an answer"), *groups]  # type: ignore[attr-defined]
        self.fields["others"].choices = groups  # type: ignore[attr-defined]

    def save(self, lead: Member) -> CrossRule:
        """Add the rule. Raises RefusedError."""
        values = self.cleaned_data
        others = [self._nodes[key] for key in values["others"]]
        return add_rule(
            lead=lead, when=self._nodes[values["when"]], kind=values["kind"], others=others, reason=values["reason"]
        )


@project_page()
def codebook(request: HttpRequest, member: Member, version: int | None = None) -> HttpResponse:
    """The codebook in its newest version, or in an earlier one."""
    newest = _newest(member)
    shown = newest if version is None else selectors.find(project_id=member.project_id, number=version)
    if shown is None:
        raise Http404
    trees = selectors.trees(codebook=shown)
    context = page_context(member, "codebook") | {
        "codebook": shown,
        "newest": newest,
        "trees": trees,
        "made_of": made_of(member=member).items(),
        "maps": member.has(Role.LEAD) and any(tree.axis.axis_id is None and tree.nodes for tree in trees),
        "rules": selectors.rules(codebook=shown),
        "may_add": member.has(Role.LEAD) and not has_votes(project_id=member.project_id),
        "opened": request.GET.get("open") == "all",
    }
    return render(request, "labeling/setup/codebook.html", context)


@project_page()
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """All versions, with what each changed."""
    context = page_context(member, "codebook") | {"steps": selectors.steps(project_id=member.project_id)}
    return render(request, "labeling/setup/codebook_history.html", context)


@project_form()
def rules(request: HttpRequest, member: Member) -> HttpResponse:
    """The rules across axes; leads add one by POST."""
    newest = _newest(member)
    form = RuleForm(posted_data(request), codebook=newest) if member.has(Role.LEAD) else None
    if request.method == "POST":
        if form is None:
            raise PermissionDenied
        if apply_form(form, lambda: form.save(member)):
            messages.success(request, "The rule applies to every vote from now on.")
            return redirect("labeling:rules", member.project.slug)
    context = page_context(member, "codebook") | {
        "form": form,
        "rules": selectors.rules(codebook=newest),
        "retired": selectors.rules(codebook=newest, retired=True),
    }
    return render(request, "labeling/setup/rules.html", context)


@project_action(Role.LEAD)
def retirement(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Retire a rule."""
    with missing_as_404():
        rule = selectors.rule_of(member=member, pk=pk)

    success = "The rule is retired: votes no longer have to follow it."
    to = reverse("labeling:rules", args=[member.project.slug])
    return act_and_redirect(request, lambda: retire_rule(lead=member, rule=rule), success, to)


def _newest(member: Member) -> Codebook:
    newest = selectors.find(project_id=member.project_id)
    if newest is None:
        raise Http404
    return newest
