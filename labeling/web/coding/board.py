"""The board of open coding: its page, and what leads do there. What an act does is `services.coding`'s."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.boards import BoardNode
from labeling.models import CodingAct, Member, ProjectAxis, Role
from labeling.questions import MOST_NODE_NAME
from labeling.refusals import missing_as_404
from labeling.selectors import coding as selectors
from labeling.selectors.coding_board import shown_board
from labeling.services import coding
from labeling.web.access import page_context, project_action, project_form, project_page
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, form_status, posted_data

PAGE = 50
MOST_WRITTEN = 5_000


class NodeForm(PlainForm):
    """A node's words."""

    name = forms.CharField(max_length=MOST_NODE_NAME)
    definition = forms.CharField(
        required=False, max_length=MOST_WRITTEN, widget=forms.Textarea(attrs={"rows": 3}),
        help_text="When an annotator chooses this node. It goes into the codebook.",
    )  # fmt: skip
    example = forms.CharField(
        required=False, max_length=MOST_WRITTEN, widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One case of it, in a sentence.",
    )  # fmt: skip

    def node(self) -> BoardNode:
        """The node as filled in."""
        values = self.cleaned_data
        return BoardNode(values["name"].strip(), values["definition"].strip(), values["example"].strip())


def open_axis(member: Member) -> ProjectAxis:
    """The project's question for open codes, for those who see its board. Raises Http404 or PermissionDenied."""
    axis = selectors.coding_axis(project_id=member.project_id)
    if axis is None:
        raise Http404
    if not selectors.sees_board(member=member, axis=axis):
        raise PermissionDenied("Some votes on the board are hidden until you have given your first opinions.")
    return axis


@project_page()
def board(request: HttpRequest, member: Member) -> HttpResponse:
    """All codes of closed rounds, in their nodes; what there is instead while there is no board to see."""
    axis = selectors.coding_axis(project_id=member.project_id)
    is_hidden = axis is not None and not selectors.sees_board(member=member, axis=axis)
    context = page_context(member, "codebook") | {
        "axis": axis,
        "is_hidden": is_hidden,
        "leads": member.has(Role.LEAD),
        "board": shown_board(axis=axis) if axis and not is_hidden else None,
    }
    return render(request, "labeling/coding/board.html", context)


@project_action(Role.LEAD)
def beginning(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for open codes from the next codebook on."""
    success = "The newest codebook asks for open codes and a summary. Prepare a round with it."
    to = reverse("labeling:coding", args=[member.project.slug])
    return act_and_redirect(request, lambda: coding.begin_coding(lead=member), success, to)


def _make_node(lead: Member, data: QueryDict) -> CodingAct:
    node = BoardNode(data.get("name", "").strip())
    return coding.add_node(lead=lead, node=node, keys=data.getlist("code"))


# By the value of the button: the service, and what the page says afterwards.
ACTS: dict[str, tuple[Callable[[Member, QueryDict], CodingAct], str]] = {
    "merge": (
        lambda lead, data: coding.merge_codes(lead=lead, keys=data.getlist("code"), name=data.get("name", "")),
        "Merged. What each annotator typed is kept.",
    ),
    "split": (lambda lead, data: coding.split_codes(lead=lead, keys=data.getlist("code")), "Split again."),
    "rename": (
        lambda lead, data: coding.rename_code(lead=lead, keys=data.getlist("code"), name=data.get("name", "")),
        "Renamed on the board.",
    ),
    "put": (
        lambda lead, data: coding.put_codes(lead=lead, keys=data.getlist("code"), node=data.get("node", "")),
        "The codes are there now.",
    ),
    "node": (_make_node, "The node is on the board. Give it a definition."),
}


@project_action(Role.LEAD)
def codes(request: HttpRequest, member: Member) -> HttpResponse:
    """Do one of `ACTS` to the selected codes."""
    to = reverse("labeling:coding", args=[member.project.slug])
    act = ACTS.get(request.POST.get("do", ""))
    if act is None:
        messages.error(request, "Choose what to do with the codes.")
        return redirect(to)
    service, success = act
    return act_and_redirect(request, lambda: service(member, request.POST), success, to)


@project_form(Role.LEAD)
def node(request: HttpRequest, member: Member, node: str) -> HttpResponse:
    """A node's words; its buttons also move and remove it."""
    there = selectors.board_of(axis=open_axis(member)).nodes.get(node)
    if there is None:
        raise Http404
    to = reverse("labeling:coding", args=[member.project.slug])
    do = request.POST.get("do", "save")
    if request.method == "POST" and do in ("up", "down"):
        success = f"“{there.name}” moved {do}."
        return act_and_redirect(request, lambda: coding.move_node(lead=member, code=node, up=do == "up"), success, to)
    if request.method == "POST" and do == "remove":
        success = f"“{there.name}” is removed. Its codes are in no node now."
        return act_and_redirect(request, lambda: coding.remove_node(lead=member, code=node), success, to)
    initial = {"name": there.name, "definition": there.definition, "example": there.example}
    form = NodeForm(posted_data(request), initial=initial)
    if request.method == "POST" and apply_form(
        form, lambda: coding.edit_node(lead=member, code=node, node=form.node())
    ):
        messages.success(request, f"“{form.node().name}” is saved.")
        return redirect(to)
    context = page_context(member, "codebook") | {"form": form, "node": there, "code": node}
    return render(request, "labeling/coding/node.html", context, status=form_status(form))


@project_page()
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """Every act on the board, the newest first."""
    acts = Paginator(selectors.acts(axis=open_axis(member)), PAGE).get_page(request.GET.get("page"))
    context = page_context(member, "codebook") | {
        "page": acts,
        "page_numbers": acts.paginator.get_elided_page_range(acts.number),
        "leads": member.has(Role.LEAD),
    }
    return render(request, "labeling/coding/history.html", context)


@project_action(Role.LEAD)
def undoing(request: HttpRequest, member: Member, act: int) -> HttpResponse:
    """Take an act back."""
    with missing_as_404():
        row = selectors.acts(axis=open_axis(member)).get(pk=act)
    to = reverse("labeling:coding-history", args=[member.project.slug])
    return act_and_redirect(request, lambda: coding.undo(lead=member, act=row), "Undone.", to)
