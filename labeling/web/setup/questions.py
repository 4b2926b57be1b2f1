"""The form of a question of the project's own, and the pages where a lead adds one or a file of them, or changes it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify

from kb.http.downloads import download
from labeling.models import AxisKind, Member, Role
from labeling.question_files import MOST_BYTES, FileError, read_questions, write_questions
from labeling.questions import MOST_NAME, PlannedNode, Question, fault
from labeling.selectors.axes import own_question, own_questions
from labeling.selectors.codebook_history import find
from labeling.services.codebooks import add_from_file, add_questions, revise_question
from labeling.web.access import page_context, project_action, project_form, project_page
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, form_status, posted_data
from labeling.wordings import Wording

AXIS_CODE, NODE_CODE = 30, 64
FILE_HELP = "YAML, as a codebook's page offers it for download. Questions that are there already stay as they are."


class QuestionsField(forms.FileField):
    """A file of questions; cleaned, it is the questions."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The questions in the file, none where there is no file."""
        file = super().clean(data, initial)
        if not file:
            return ()
        if file.size > MOST_BYTES:
            raise forms.ValidationError(f"A file of questions has at most {MOST_BYTES // 1_000_000} MB.")
        try:
            return read_questions(file.read())
        except FileError as error:
            raise forms.ValidationError(str(error)) from error


class FileForm(PlainForm):
    """Questions from a file."""

    file = QuestionsField(label="From a file", help_text=FILE_HELP)


class QuestionForm(PlainForm):
    """A question: its words, its kind, and its answers, one a line. Left empty it asks nothing."""

    name = forms.CharField(
        label="Called", max_length=MOST_NAME, required=False, help_text="For example: Who noticed it."
    )
    question = forms.CharField(
        label="What it asks", required=False, max_length=1_000, help_text="Annotators read it above the answers."
    )
    kind = forms.ChoiceField(label="An answer is", choices=AxisKind.choices, initial=AxisKind.ONE, required=False)
    answers = forms.CharField(
        required=False, max_length=60_000, widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One a line, as in “User: who ran it”; what comes after the colon says what it means. The steps "
        "of a scale begin with the lowest. None for a number or free text.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """The fields, if they make a question."""
        values = super().clean() or {}
        if not self.errors and not self.is_empty() and (wrong := fault(self.planned())):
            raise forms.ValidationError(wrong)
        return values

    def is_empty(self) -> bool:
        """Whether nothing was written into it."""
        return not any(self.cleaned_data.get(name, "").strip() for name in ("name", "question", "answers"))

    def planned(self) -> Question:
        """The question as it was filled in."""
        values = self.cleaned_data
        nodes = [_node(line) for line in values["answers"].splitlines() if line.strip()]
        code = slugify(values["name"]).replace("-", "_")[:AXIS_CODE].strip("_")
        return Question(code, values["name"], values["question"], values["kind"] or "one", tuple(nodes))


def _node(line: str) -> PlannedNode:
    name, _, definition = line.partition(":")
    code = (slugify(name) or slugify(name, allow_unicode=True))[:NODE_CODE].strip("-")
    return PlannedNode(Wording(code, name.strip(), definition.strip()))


@project_page()
def questions_file(request: HttpRequest, member: Member) -> HttpResponse:  # noqa: ARG001 as all views
    """The project's own questions in the newest codebook, as a file."""
    codebook = find(project_id=member.project_id)
    if codebook is None:
        raise Http404
    text = write_questions(own_questions(codebook=codebook))
    return download(f"{member.project.slug}-questions.yaml", text, "application/yaml")


@project_action(Role.LEAD)
def upload(request: HttpRequest, member: Member) -> HttpResponse:
    """Add the questions of a file that are not there yet, while nobody has voted."""
    form = FileForm(request.POST, request.FILES)
    if apply_form(form, lambda: add_from_file(lead=member, questions=form.cleaned_data["file"])):
        messages.success(request, "The file's questions are in the newest codebook.")
        return redirect("labeling:codebook", member.project.slug)
    context = page_context(member, "codebook") | {"form": QuestionForm(), "file_form": form}
    return render(request, "labeling/setup/question.html", context, status=422)


@project_form(Role.LEAD)
def new_question(request: HttpRequest, member: Member) -> HttpResponse:
    """Add a question to the codebook, while nobody has voted."""
    form = QuestionForm(posted_data(request))
    form.fields["name"].required = True
    if request.method == "POST" and apply_form(form, lambda: add_questions(lead=member, questions=[form.planned()])):
        messages.success(
            request, "The question is in the newest codebook. Rounds that are prepared from now on ask it."
        )
        return redirect("labeling:codebook", member.project.slug)
    context = page_context(member, "codebook") | {"form": form, "file_form": FileForm()}
    return render(request, "labeling/setup/question.html", context, status=form_status(form))


@project_form(Role.LEAD)
def question(request: HttpRequest, member: Member, axis: str) -> HttpResponse:
    """Change a question of the project's own, or leave it out, while nobody has voted."""
    asked = own_question(project_id=member.project_id, code=axis)
    if asked is None:
        raise Http404
    here = reverse("labeling:codebook", args=[member.project.slug])
    if request.method == "POST" and "leave-out" in request.POST:
        success = f"The newest codebook no longer asks “{asked.name}”."
        return act_and_redirect(request, lambda: revise_question(lead=member, code=axis, question=None), success, here)
    lines = [": ".join(filter(None, (node.wording.name, node.wording.definition))) for node in asked.nodes]
    initial = {"name": asked.name, "question": asked.question, "kind": asked.kind, "answers": "\n".join(lines)}
    form = QuestionForm(posted_data(request), initial=initial)
    form.fields["name"].required = True
    if request.method == "POST" and apply_form(
        form, lambda: revise_question(lead=member, code=axis, question=form.planned())
    ):
        messages.success(request, "The newest codebook has the changed question. Rounds prepared from now on ask it.")
        return redirect(here)
    context = page_context(member, "codebook") | {"form": form, "asked": asked, "holds_all": _holds_all(asked)}
    return render(request, "labeling/setup/change_question.html", context, status=form_status(form))


def _holds_all(asked: Question) -> bool:
    """Whether the form says all of the question: answers of files may be nested and have longer descriptions."""
    return all(
        not node.parent and node.wording == Wording(node.wording.code, node.wording.name, node.wording.definition)
        for node in asked.nodes
    )
