"""Who may open a page of a project: the one door of every page of labeling.

What a member may see behind it is `labeling.selectors.visible`'s business; what they may do is the services'.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, ObjectDoesNotExist, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils.cache import add_never_cache_headers

from labeling.models import Item, Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import membership as find
from labeling.services.people import require_not_suspended

View = Callable[..., HttpResponseBase]
SAFE = ("GET", "HEAD", "OPTIONS")


def project_page(
    *roles: Role, while_suspended: bool = False
) -> Callable[[Callable[Concatenate[HttpRequest, Member, ...], HttpResponseBase]], View]:
    """A view of one project: called with the reader's membership in the place of the address's `project`.

    Strangers are asked to log in, people who are not (or no more) in the project are told that nothing is there, and
    members without one of `roles`, where any are named, that it is not for them. In a suspended project nothing is
    changed but by views that allow it with `while_suspended`.
    """

    def decorate(view: Callable[Concatenate[HttpRequest, Member, ...], HttpResponseBase]) -> View:
        @wraps(view)
        def opened(request: HttpRequest, project: str, **kwargs: Any) -> HttpResponseBase:
            if isinstance(request.user, AnonymousUser):
                return redirect_to_login(request.get_full_path())
            member = membership(request.user, project)
            if roles and not member.has(*roles):
                raise PermissionDenied
            if not while_suspended and request.method not in SAFE:
                try:
                    require_not_suspended(member.project)
                except RefusedError as error:
                    if is_script(request):
                        return JsonResponse({"reason": str(error)}, status=409)
                    messages.error(request, str(error))
                    return redirect("labeling:project", project)
            if any("\x00" in key + "".join(values) for key, values in request.POST.lists()):
                raise BadRequest("What you sent has a NUL character in it, which cannot be kept. Take it out.")
            response = view(request, member, **kwargs)
            add_never_cache_headers(response)
            return response

        return opened

    return decorate


def is_script(request: HttpRequest) -> bool:
    """A script asks for JSON; what it sends while the page is left asks for anything, and nobody reads the answer."""
    return request.headers.get("Accept", "") in ("application/json", "*/*")


def person(request: HttpRequest) -> User:
    """The reader, who is known to be logged in where this is asked. Raises PermissionDenied otherwise."""
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def membership(user: User, slug: str) -> Member:
    """The person's membership in a project. Raises Http404, also where they have left."""
    with nothing_there():
        return find.membership(user=user, slug=slug)


def round_of(member: Member, number: int) -> Round:
    """A round of the member's project by its number; what is still prepared only for leads. Raises Http404."""
    with nothing_there():
        return find.round_of(member=member, number=number)


def item_of(round_: Round, position: int) -> Item:
    """An issue of a round by its place in the sample. Raises Http404."""
    with nothing_there():
        return find.item_of(round_=round_, position=position)


def released_item_of(member: Member, round_: Round, position: int) -> Item:
    """The same, if its votes are no secret for the member any more. Raises Http404."""
    with nothing_there():
        return find.released_item_of(member=member, round_=round_, position=position)


@contextmanager
def nothing_there() -> Iterator[None]:
    """Answer what is not there, or not for this reader, as an address without anything behind it."""
    try:
        yield
    except ObjectDoesNotExist as error:
        raise Http404 from error
