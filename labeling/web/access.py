"""Who may open a page of a project: every page of labeling comes through here.

What a member may see is decided by `labeling.selectors.visible`; what they may do, by the services.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods

from labeling.models import Item, Member, Role, Round
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import membership as selectors
from labeling.selectors.notices import unread_count
from labeling.services.people import require_not_suspended

View = Callable[..., HttpResponseBase]
ProjectView = Callable[Concatenate[HttpRequest, Member, ...], HttpResponseBase]
Decorator = Callable[[ProjectView], View]
Context = dict[str, object]


def project_page(*roles: Role) -> Decorator:
    """A view of one project that is only read; it gets the reader's membership in place of the URL's `project`.

    Anonymous visitors are sent to log in, people outside the project get 404, and members without one of `roles`,
    where any are named, 403.
    """
    return _project_view(("GET", "HEAD"), roles, while_suspended=False)


def project_form(*roles: Role, while_suspended: bool = False) -> Decorator:
    """A page with a form that is sent to its own address; in a suspended project only with `while_suspended`."""
    return _project_view(("GET", "HEAD", "POST"), roles, while_suspended=while_suspended)


def project_action(*roles: Role) -> Decorator:
    """What a button of another page does; never in a suspended project."""
    return _project_view(("POST",), roles, while_suspended=False)


def _project_view(methods: Sequence[str], roles: Sequence[Role], *, while_suspended: bool) -> Decorator:
    def decorate(view: ProjectView) -> View:
        @require_http_methods(list(methods))
        @wraps(view)
        def wrapper(request: HttpRequest, project: str, **kwargs: Any) -> HttpResponseBase:
            if isinstance(request.user, AnonymousUser):
                return redirect_to_login(request.get_full_path())
            member = membership(request.user, project)
            if roles and not member.has(*roles):
                raise PermissionDenied
            if not while_suspended and request.method == "POST":
                try:
                    require_not_suspended(member.project)
                except RefusedError as error:
                    if is_script(request):
                        return JsonResponse({"reason": str(error)}, status=409)
                    messages.error(request, str(error))
                    return redirect("labeling:project", project)
            if any("\x00" in key + "".join(values) for key, values in request.POST.lists()):
                raise BadRequest("Your text contains a NUL character, which cannot be stored. Remove it.")
            response = view(request, member, **kwargs)
            add_never_cache_headers(response)
            return response

        return wrapper

    return decorate


def page_context(member: Member, here: str) -> Context:
    """What the frame around every page of a project shows; `here` is the open tab."""
    unread = unread_count(user_id=member.user_id)
    return {"member": member, "project": member.project, "here": here, "unread": unread}


def is_script(request: HttpRequest) -> bool:
    """Whether a script sent the request: it accepts JSON, or `*/*` when it sends a draft while the page is left."""
    return request.headers.get("Accept", "") in ("application/json", "*/*")


def logged_in_user(request: HttpRequest) -> User:
    """The reader's account. Raises PermissionDenied for anonymous visitors."""
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def membership(user: User, slug: str) -> Member:
    """The person's membership in a project. Raises Http404, also where they have left."""
    with missing_as_404():
        return selectors.membership(user=user, slug=slug)


def round_of(member: Member, number: int) -> Round:
    """A round of the member's project by its number; rounds in preparation only for leads. Raises Http404."""
    with missing_as_404():
        return selectors.round_of(member=member, number=number)


def item_of(round_: Round, position: int) -> Item:
    """An issue of a round by its position in the sample. Raises Http404."""
    with missing_as_404():
        return selectors.item_of(round_=round_, position=position)
