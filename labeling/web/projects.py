"""The reader's projects, and the home of one."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.models import Member
from labeling.web.access import person, project_page


@require_safe
@login_required
def projects(request: HttpRequest) -> HttpResponse:
    """The projects that the reader is a member of."""
    members = Member.objects.filter(user=person(request), left_at=None).select_related("project")
    return render(request, "labeling/projects.html", {"members": members.order_by("project__name", "pk")})


@require_safe
@project_page()
def project(request: HttpRequest, member: Member) -> HttpResponse:
    """What the project asks, and what there is to do for the reader."""
    return render(request, "labeling/project.html", {"member": member, "project": member.project})
