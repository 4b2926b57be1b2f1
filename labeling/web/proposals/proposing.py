"""Writing a proposal: first what is to change, then the form for it. All of it is in the address until it is sent."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.models import Codebook, Member, NodeVersion, Proposal, Role
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import AxisNodes, axes_of, versions_by_code
from labeling.selectors.proposals import known_issues
from labeling.services.proposals import propose
from labeling.web.access import project_page
from labeling.web.proposals.forms import ABOUT_ONE, MOST_PARTS, ProposalForm
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
def proposing(request: HttpRequest, member: Member) -> HttpResponse:
    """Write a proposal down; nobody else sees it until it is put to the vote."""
    axes = _axes(member)
    shape = _shape(axes, request.GET)
    form = None
    if shape.axis and shape.kind and shape.is_whole:
        data = request.POST if request.method == "POST" else None
        initial = {"evidence": "\n".join(request.GET.getlist("evidence"))}
        form = ProposalForm(shape.axis, shape.kind, about=shape.about, parts=shape.parts, data=data, initial=initial)
        if data is not None and (made := _propose(member, shape.axis, form)):
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


def _propose(member: Member, axis: AxisNodes, form: ProposalForm) -> Proposal | None:
    """The proposal; None where the form says what is missing."""
    if not form.is_valid():
        return None
    issues, faults = known_issues(urls=form.addresses())
    for fault in faults:
        form.add_error("evidence", fault)
    if faults:
        return None
    by_code = versions_by_code([axis])[axis.axis.code]
    try:
        return propose(
            author=member, axis=axis.axis, kind=form.kind, reason=form.cleaned_data["reason"],
            nodes=form.nodes(by_code), into=form.into(by_code), wording=form.wordings(), evidence=issues,
            rule=Proposal.Rule(form.cleaned_data["rule"]),
        )  # fmt: skip
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
