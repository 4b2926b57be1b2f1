"""Writing a proposal: first what is to change, then the form for it. All of it is in the URL until it is sent.

Until it is put to the vote, its author may change all but the kind of change and its axis.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from kb.web.parameters import one_by_one
from labeling.models import Member, NodeVersion, Proposal, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import codebook_history
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.selectors.proposals import permissions, proposal_of
from labeling.services.proposals import propose, rewrite
from labeling.web.access import page_context, project_form
from labeling.web.forms import Initial, apply_form, form_status, number_from, posted_data
from labeling.web.proposals.forms import ABOUT_ONE, MOST_PARTS, ProposalForm, initial_of
from labeling.web.settling.forms import indented


@dataclass(frozen=True)
class Shape:
    """What is to change, as far as the URL says it; `parts`: how many new categories a split makes."""

    axis: AxisNodes | None
    kind: Proposal.Kind | None
    about: NodeVersion | None
    parts: int

    @property
    def is_whole(self) -> bool:
        """Whether the form that is needed is known."""
        return bool(self.axis and self.kind and (self.about or self.kind not in ABOUT_ONE))


@project_form(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
@one_by_one("evidence")
def proposing(request: HttpRequest, member: Member) -> HttpResponse:
    """Write a proposal; nobody else sees it until voting opens."""
    axes = _axes(member)
    query = request.GET
    shape = _shape(axes, query.get("axis", ""), query.get("kind", ""), query.get("node", ""), query.get("parts", ""))
    form = None
    if shape.axis and shape.kind and shape.is_whole:
        initial: Initial = {"evidence": "\n".join(query.getlist("evidence"))}
        form = ProposalForm(
            shape.axis, shape.kind, about=shape.about, parts=shape.parts, data=posted_data(request), initial=initial
        )
        if request.method == "POST" and form.is_valid():
            try:
                proposal = propose(author=member, axis=shape.axis.axis, kind=shape.kind, **form.content())
            except RefusedError as refused:
                form.add_error(None, str(refused))
            else:
                messages.success(request, "Saved. Only you can see it until voting opens.")
                return redirect("labeling:proposal", member.project.slug, proposal.pk)
    context = page_context(member, "proposals") | {
        "axes": [nodes.axis for nodes in axes],
        "kinds": Proposal.Kind.choices,
        "shape": shape,
        "nodes": indented(shape.axis) if shape.axis and shape.kind in ABOUT_ONE else [],
        "wants_parts": shape.kind == Proposal.Kind.SPLIT,
        "evidence": query.getlist("evidence"),
        "form": form,
    }
    return render(request, "labeling/proposals/new.html", context, status=form_status(form))


@project_form(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
def editing(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Change a proposal that is not put to the vote yet; the URL may ask for more or fewer parts of a split."""
    with missing_as_404():
        row = proposal_of(member=member, pk=proposal)
    back = redirect("labeling:proposal", member.project.slug, row.pk)
    if not permissions(member=member, proposal=row).edit:
        messages.error(request, "Only the author can change a proposal, and only until voting opens.")
        return back
    codes = [node.code for node in row.nodes.all()]
    node_code = codes[0] if codes and row.kind in ABOUT_ONE else ""
    parts = request.GET.get("parts") or str(len(row.wording))
    shape = _shape(_axes(member), row.axis.code, row.kind, node_code, parts)
    if not (shape.axis and shape.kind and shape.is_whole):
        messages.error(request, "Its category has left the codebook. Withdraw the proposal and submit a new one.")
        return back
    form = ProposalForm(
        shape.axis, shape.kind, about=shape.about, parts=shape.parts, data=posted_data(request),
        initial=initial_of(row),
    )  # fmt: skip
    if request.method == "POST" and apply_form(form, lambda: rewrite(author=member, proposal=row, **form.content())):
        messages.success(request, "Changed. Only you can see it until voting opens.")
        return back
    context = page_context(member, "proposals") | {
        "proposal": row,
        "shape": shape,
        "wants_parts": shape.kind == Proposal.Kind.SPLIT,
        "form": form,
    }
    return render(request, "labeling/proposals/edit.html", context, status=form_status(form))


def _axes(member: Member) -> list[AxisNodes]:
    newest = codebook_history.find(project_id=member.project_id)
    return [nodes for nodes in axes_of(codebook=newest) if nodes.axis.has_nodes] if newest else []


def _shape(axes: Sequence[AxisNodes], axis_code: str, kind: str, node_code: str, parts: str) -> Shape:
    """The shape with these codes; None for each that is unknown, and two parts unless a number is given."""
    axis = {nodes.axis.code: nodes for nodes in axes}.get(axis_code)
    versions = {version.node.code: version for version in axis.versions} if axis else {}
    return Shape(
        axis=axis,
        kind=Proposal.Kind(kind) if kind in Proposal.Kind.values else None,
        about=versions.get(node_code),
        parts=min(max(2, number_from(parts, 2, digits=2)), MOST_PARTS),
    )
