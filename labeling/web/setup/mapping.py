"""The page where a lead maps answers to the project's own questions to house categories."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Member, Role
from labeling.selectors.codebook_history import find
from labeling.selectors.mapping import MappedAxis, house_nodes, mapped_axes
from labeling.services.mapping import map_nodes
from labeling.web.access import page_context, project_form
from labeling.web.forms import act_and_redirect


@project_form(Role.LEAD)
def mapping(request: HttpRequest, member: Member) -> HttpResponse:
    """Every own question with its answers and the house category of each; a form for each question."""
    codebook = find(project_id=member.project_id)
    axes = mapped_axes(codebook=codebook) if codebook else []
    if request.method == "POST":
        return _save(request, member, axes)
    context = page_context(member, "codebook") | {"axes": axes, "house": house_nodes()}
    return render(request, "labeling/setup/mapping.html", context)


def _save(request: HttpRequest, member: Member, axes: list[MappedAxis]) -> HttpResponse:
    """Save the form of one question, which there must be."""
    by_code = {each.axis.code: each for each in axes}
    mapped = by_code.get(request.POST.get("axis", ""))
    if mapped is None:
        messages.error(request, "This question has no answers to map.")
        return redirect("labeling:mapping", member.project.slug)
    codes = [version.node.code for version, _ in mapped.nodes]
    wanted = {code: request.POST.get(f"node-{code}", "") for code in codes}
    to = f"{reverse('labeling:mapping', args=[member.project.slug])}#{mapped.axis.code}"
    success = f"The mapping of “{mapped.axis.name}” is saved. It counts from the next publication on."
    return act_and_redirect(request, lambda: map_nodes(lead=member, axis=mapped.axis, wanted=wanted), success, to)
