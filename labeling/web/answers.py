"""How pages answer: what was done or refused is said on the next page; a refused form comes back as it was sent."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from labeling.refusals import RefusedError

INPUTS: dict[type[forms.Widget], str] = {
    forms.CheckboxInput: "form-check-input",
    # These put their class on the group, not on its boxes.
    forms.CheckboxSelectMultiple: "",
    forms.RadioSelect: "",
    forms.Select: "form-select",
}


class PlainForm(forms.Form):
    """A form whose boxes look like all others."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", INPUTS.get(type(field.widget), "form-control"))


def sent(request: HttpRequest) -> QueryDict | None:
    """What the form was sent with, also where that is nothing; None where it was not sent."""
    return request.POST if request.method == "POST" else None


def said(request: HttpRequest, action: Callable[[], str], to: str) -> HttpResponse:
    """Do it, go to the page `to`, and say there what was done, or why not."""
    try:
        messages.success(request, action())
    except RefusedError as error:
        messages.error(request, str(error))
    return redirect(to)


def is_done(form: forms.Form, action: Callable[[], object]) -> bool:
    """Is the form whole, and was the action not refused? Otherwise the form says why."""
    if not form.is_valid():
        return False
    try:
        action()
    except RefusedError as error:
        form.add_error(None, str(error))
        return False
    return True
