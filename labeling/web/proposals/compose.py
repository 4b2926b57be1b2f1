"""Writing a proposal: first what is to change, then the form for it. All of it is in the address until it is sent.

Until it is put to the vote, its author may change all but what kind of change it is, and on which axis.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from kb.web.parameters import one_by_one
from labeling.models import Codebook, Member, NodeVersion, Proposal, Role
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import AxisNodes, axes_of, versions_by_code
from labeling.selectors.proposals import known_issues, listed, may
from labeling.services.proposals import propose, rewrite
from labeling.web.access import project_page
from labeling.web.proposals.forms import ABOUT_ONE, MOST_PARTS, ProposalForm, written
from labeling.web.settling.forms import indented

INVALID = 422


@dataclass(frozen=True)
class Shape:
    """What is to change, as far as the address says it."""

    axis: AxisNodes | None
    kind: Proposal.Kind | None
    about: NodeVersion | None
    parts: int

    @property
    def is_whole(self) -> bool:
        """Is it known which form is wanted?"""
        return bool(self.axis and self.kind and (self.about or self.kind not in ABOUT_ONE))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
@one_by_one("evidence")
def proposing(request: HttpRequest, member: Member) -> HttpResponse:
    """Write a proposal down; nobody else sees it until it is put to the vote."""
    axes = _axes(member)
    shape = _shape(axes, request.GET)
    form = None
    if shape.axis and shape.kind and shape.is_whole:
        data = request.POST if request.method == "POST" else None
        initial = {"evidence": "\n".join(request.GET.getlist("evidence"))}
        form = ProposalForm(shape.axis, shape.kind, about=shape.about, parts=shape.parts, data=data, initial=initial)
        new = partial(propose, author=member, axis=shape.axis.axis, kind=shape.kind)
        if data is not None and (made := _said(shape.axis, form, lambda said: new(**said))):
            messages.success(request, "Written down. Only you see it, until it is put to the vote.")
            return redirect("labeling:proposal", member.project.slug, made.pk)
    context = {
        "member": member,
        "project": member.project,
        "here": "proposals",
        "axes": [one.axis for one in axes],
        "kinds": Proposal.Kind.choices,
        "shape": shape,
        "nodes": indented(shape.axis) if shape.axis and shape.kind in ABOUT_ONE else [],
        "wants_parts": shape.kind == Proposal.Kind.SPLIT,
        "evidence": request.GET.getlist("evidence"),
        "form": form,
    }
    status = INVALID if form is not None and form.errors else 200
    return render(request, "labeling/proposals/new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
def editing(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Change what is not put to the vote yet."""
    found = listed(member=member).filter(pk=proposal).first()
    if found is None:
        raise Http404
    back = redirect("labeling:proposal", member.project.slug, found.pk)
    shape = _shape_of(_axes(member), found, request.GET)
    if not may(member=member, proposal=found).edit:
        messages.error(request, "Only its author changes a proposal, and only until it is put to the vote.")
        return back
    if not (shape.axis and shape.kind and shape.is_whole):
        messages.error(request, "Its category left the codebook meanwhile. Withdraw it, and propose it anew.")
        return back
    data = request.POST if request.method == "POST" else None
    form = ProposalForm(
        shape.axis, shape.kind, about=shape.about, parts=shape.parts, data=data, initial=written(found)
    )  # fmt: skip
    if data is not None and _said(shape.axis, form, lambda said: rewrite(author=member, proposal=found, **said)):
        messages.success(request, "Changed. Only you see it, until it is put to the vote.")
        return back
    context = {
        "member": member,
        "project": member.project,
        "here": "proposals",
        "proposal": found,
        "shape": shape,
        "wants_parts": shape.kind == Proposal.Kind.SPLIT,
        "form": form,
    }
    return render(request, "labeling/proposals/edit.html", context, status=INVALID if form.errors else 200)


def _said(axis: AxisNodes, form: ProposalForm, write: Callable[[dict[str, Any]], Proposal]) -> Proposal | None:
    """The proposal as it was written down; None where the form says what is missing."""
    if not form.is_valid():
        return None
    issues, faults = known_issues(urls=form.addresses())
    for fault in faults:
        form.add_error("evidence", fault)
    if faults:
        return None
    by_code = versions_by_code([axis])[axis.axis.code]
    said = {
        "reason": form.cleaned_data["reason"],
        "rule": Proposal.Rule(form.cleaned_data["rule"]),
        "nodes": form.nodes(by_code),
        "into": form.into(by_code),
        "wording": form.wordings(),
        "evidence": issues,
    }
    try:
        return write(said)
    except RefusedError as refused:
        form.add_error(None, str(refused))
        return None


def _axes(member: Member) -> list[AxisNodes]:
    newest = Codebook.objects.filter(project=member.project_id).order_by("-number").first()
    return axes_of(codebook=newest) if newest else []


def _shape(axes: list[AxisNodes], query: QueryDict) -> Shape:
    axis = next((one for one in axes if one.axis.code == query.get("axis")), None)
    wanted = query.get("kind", "")
    kind = Proposal.Kind(wanted) if wanted in Proposal.Kind.values else None
    code = query.get("node")
    about = next((one for one in axis.versions if one.node.code == code), None) if axis else None
    parts = query.get("parts", "")
    return Shape(axis, kind, about, min(max(2, int(parts)), MOST_PARTS) if parts.isdecimal() and len(parts) < 3 else 2)


def _shape_of(axes: list[AxisNodes], proposal: Proposal, query: QueryDict) -> Shape:
    """The shape of a proposal that is written already; the address may ask for more or fewer parts of a split."""
    known = QueryDict(mutable=True)
    known.update({"axis": proposal.axis.code, "kind": proposal.kind})
    known["parts"] = query.get("parts") or str(len(proposal.wording))
    if proposal.kind in ABOUT_ONE and (node := proposal.nodes.first()):
        known["node"] = node.code
    return _shape(axes, known)
