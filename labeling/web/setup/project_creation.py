"""Founding a project, describing it, and archiving it."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from kb.models import Axis, Scheme
from labeling.models import Member, Role
from labeling.questions import MOST_QUESTIONS, Question
from labeling.refusals import RefusedError
from labeling.rights import Right, has_right
from labeling.selectors.axes import house_axes, scheme_questions, study_scheme
from labeling.services.projects import archive_project, describe_project, start_project, unarchive_project
from labeling.web.access import logged_in_user, page_context, project_action, project_form
from labeling.web.forms import Initial, PlainForm, act_and_redirect, apply_form, number_from, posted_data
from labeling.web.setup.questions import FILE_HELP, QuestionForm, QuestionsField


class DescriptionForm(PlainForm):
    """What a project is called and asks."""

    name = forms.CharField(max_length=120, help_text="For example: Hangs in distributed training.")
    question = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What do you want to find out? Everybody who is invited reads this first.",
    )


class SettingsForm(DescriptionForm):
    """What can be changed of a project."""

    shows_comments = forms.BooleanField(
        label="Show comments, too",
        required=False,
        help_text="Annotators read the comments on an issue, in order, with its title and text. For rounds that "
        "are prepared from now on; those that are there stay as they are.",
    )


class AxesField(forms.ModelMultipleChoiceField[Axis]):
    """Axes of the house codebook, each with what it asks."""

    def label_from_instance(self, obj: Axis) -> str:
        """Name, question, and how many answers are possible."""
        return f"{obj.name}: {obj.question} {'Several answers' if obj.several else 'One answer'}."


class ProjectForm(DescriptionForm):
    """A new project."""

    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        required=False,
        help_text="Used in addresses; it cannot be changed later. Left empty, it is made from the name.",
    )
    axes = AxesField(
        queryset=house_axes(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Every vote answers all of these. Fewer axes make labeling faster and more reliable.",
    )
    file = QuestionsField(required=False, label="Your own from a file", help_text=FILE_HELP)


class QuestionForms:
    """The forms of a new project's own questions, as many as are asked for; `number`: how many."""

    def __init__(self, data: QueryDict | None, *, is_longer: bool) -> None:
        asked_for = number_from(data.get("questions", ""), 1) if data else 1
        self.number = min(max(1, asked_for), MOST_QUESTIONS)
        self.forms: list[QuestionForm] = []
        if is_longer:
            # Nothing is checked while somebody still writes.
            self.number += self.number < MOST_QUESTIONS
        for place in range(self.number):
            prefix = f"question-{place}"
            initial = written(QuestionForm, data, prefix) if data and is_longer else None
            form = QuestionForm(None if is_longer else data, prefix=prefix, initial=initial)
            self.forms.append(form)

    def are_valid(self) -> bool:
        """Whether each makes a question, or is empty."""
        # All of them are checked, so that all say what is wrong.
        return len([form for form in self.forms if form.is_valid()]) == self.number

    def planned(self) -> list[Question]:
        """The questions that were filled in."""
        return [form.planned() for form in self.forms if not form.is_empty()]


def written(form: type[forms.Form], data: QueryDict, prefix: str = "") -> Initial:
    """What was typed into a form, to show it again unchecked."""
    values: Initial = {}
    for name, field in form.base_fields.items():
        key = f"{prefix}-{name}" if prefix else name
        if key in data:
            values[name] = data.getlist(key) if isinstance(field, AxesField) else data[key]
    return values


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_project(request: HttpRequest) -> HttpResponse:
    """The form for a new project; whoever sends it leads it. Those without the right read how they may get it."""
    user = logged_in_user(request)
    if not has_right(user, Right.FOUND):
        return render(request, "labeling/setup/may_not_found.html", status=403)
    scheme = _scheme(request)
    data, is_longer = posted_data(request), "more" in request.POST
    files = request.FILES or None  # An empty mapping would bind the form as if it had been sent.
    form = ProjectForm(initial=written(ProjectForm, data)) if data and is_longer else ProjectForm(data, files)
    questions = QuestionForms(data, is_longer=is_longer)
    if request.method == "POST" and not is_longer and form.is_valid() & questions.are_valid():
        values = form.cleaned_data
        own = [*(scheme_questions(scheme=scheme) if scheme else ()), *values.pop("file"), *questions.planned()]
        try:
            lead = start_project(user=user, questions=own, **values)
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Project created. Next: write the guidelines, invite people, prepare a pilot.")
            return redirect("labeling:project", lead.project.slug)
    context = {
        "form": form,
        "questions": questions,
        "scheme": scheme,
        "scheme_questions": scheme_questions(scheme=scheme) if scheme else (),
    }
    return render(request, "labeling/setup/new_project.html", context)


def _scheme(request: HttpRequest) -> Scheme | None:
    """The study's scheme that the address names. Raises Http404 where there is none."""
    slug = request.GET.get("scheme", "")
    if not slug:
        return None
    scheme = study_scheme(slug=slug)
    if scheme is None:
        raise Http404("No study with this name has categories to label with.")
    return scheme


@project_form(Role.LEAD)
def settings(request: HttpRequest, member: Member) -> HttpResponse:
    """The project's name and question, what its rounds show, and its archive."""
    project = member.project
    initial = {"name": project.name, "question": project.question, "shows_comments": project.shows_comments}
    form = SettingsForm(posted_data(request), initial=initial)
    if request.method == "POST" and apply_form(form, lambda: describe_project(lead=member, **form.cleaned_data)):
        messages.success(request, "Saved.")
        return redirect("labeling:settings", project.slug)
    return render(request, "labeling/setup/settings.html", page_context(member, "settings") | {"form": form})


@project_action(Role.LEAD)
def archive(request: HttpRequest, member: Member) -> HttpResponse:
    """Put the project into the archive."""
    success = "The project is archived. Everything stays readable; nothing new can start."
    to = reverse("labeling:settings", args=[member.project.slug])
    return act_and_redirect(request, lambda: archive_project(lead=member), success, to)


@project_action(Role.LEAD)
def unarchive(request: HttpRequest, member: Member) -> HttpResponse:
    """Take the project out of the archive."""
    success = "The project is no longer archived."
    to = reverse("labeling:settings", args=[member.project.slug])
    return act_and_redirect(request, lambda: unarchive_project(lead=member), success, to)
