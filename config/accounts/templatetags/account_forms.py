"""What the account pages ask in their templates: a form field with all that belongs to it, and who may sign up."""

from django.forms import BoundField
from django.http import HttpRequest
from django.template import Context, Library

from config.accounts import adapter

register = Library()


@register.inclusion_tag("account/_field.html")
def field(bound: BoundField, label: str = "", hint: str = "") -> dict[str, object]:
    """Show a field under a label of ours; `hint` stands in for the form's own help."""
    is_checkbox = bound.widget_type == "checkbox"
    help_text = hint or bound.help_text
    attrs: dict[str, str | bool] = {
        "class": "form-check-input" if is_checkbox else "form-control",
        "placeholder": False,
    }
    described = [f"{bound.auto_id}_helptext"] * bool(help_text) + [f"{bound.auto_id}_error"] * bool(bound.errors)
    if described:
        attrs["aria-describedby"] = " ".join(described)
    return {
        "field": bound,
        "box": bound.as_widget(attrs=attrs),
        "label": label or bound.label or "",
        "help_text": help_text,
        "is_checkbox": is_checkbox,
    }


@register.simple_tag(takes_context=True)
def may_sign_up(context: Context) -> bool:
    """Say whether a way to sign up is to be shown."""
    request: HttpRequest = context["request"]
    return adapter.may_sign_up(request)
