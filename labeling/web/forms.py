"""What pages with forms share: the look of their inputs, and what follows when one is sent."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from labeling.refusals import RefusedError

# A form's initial values by field, as Django takes them.
Initial = dict[str, object]
INPUTS: dict[type[forms.Widget], str] = {
    forms.CheckboxInput: "form-check-input",
    # These put their class on the group, not on its boxes.
    forms.CheckboxSelectMultiple: "",
    forms.RadioSelect: "",
    forms.Select: "form-select",
}


class PlainForm(forms.Form):
    """A form whose inputs have Bootstrap's classes."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", INPUTS.get(type(field.widget), "form-control"))


def posted_data(request: HttpRequest) -> QueryDict | None:
    """The data to bind a form to: what was posted, even if that is empty; None for other methods."""
    return request.POST if request.method == "POST" else None


def number_from(text: str, default: int, *, digits: int = 9) -> int:
    """The whole number in the text; the default for any other text, and for more digits."""
    return int(text) if text.isdecimal() and len(text) <= digits else default


def form_status(form: forms.Form | None) -> int:
    """The HTTP status of a page with this form: 422 if it has errors."""
    return 422 if form is not None and form.errors else 200


def apply_form(form: forms.Form, action: Callable[[], object]) -> bool:
    """Run the action if the form is valid. Returns whether it ran and was not refused; else the form has the error."""
    if not form.is_valid():
        return False
    try:
        action()
    except RefusedError as error:
        form.add_error(None, str(error))
        return False
    return True


def act_and_redirect(request: HttpRequest, action: Callable[[], object], success: str, to: str) -> HttpResponse:
    """Run the action and redirect to the page `to`, which shows `success`, or why the action was refused."""
    try:
        action()
    except RefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, success)
    return redirect(to)


def redirect_with_errors(request: HttpRequest, form: forms.Form, to: str) -> HttpResponse:
    """Redirect to the page `to`, which shows the errors of the form."""
    for errors in form.errors.values():
        messages.error(request, " ".join(str(error) for error in errors))
    return redirect(to)
