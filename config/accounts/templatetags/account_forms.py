"""Template tags of the account pages: a field with label and help, ways to sign up and in, a browser's name."""

from django.forms import BoundField
from django.http import HttpRequest
from django.template import Context, Library

from config.accounts import adapter
from config.accounts.browsers import browser_name
from config.accounts.providers import LogInProvider, connected_name, provider_name, providers_offered

register = Library()
register.filter("browser_name", browser_name)
register.filter("provider_name", provider_name)
register.filter("connected_name", connected_name)


@register.inclusion_tag("account/_field.html")
def field(bound: BoundField, label: str = "", hint: str = "") -> dict[str, object]:
    """A field with another label if one is given; `hint` replaces the form's own help."""
    is_checkbox = bound.widget_type == "checkbox"
    help_text = hint or bound.help_text
    attrs: dict[str, str | bool] = {
        "class": "form-check-input" if is_checkbox else "form-control",
        "placeholder": False,
    }
    described_by = []
    if help_text:
        described_by.append(f"{bound.auto_id}_helptext")
    if bound.errors:
        described_by.append(f"{bound.auto_id}_error")
    if described_by:
        attrs["aria-describedby"] = " ".join(described_by)
    return {
        "field": bound,
        "box": bound.as_widget(attrs=attrs),
        "label": label or bound.label or "",
        "help_text": help_text,
        "is_checkbox": is_checkbox,
    }


@register.simple_tag
def log_in_providers() -> list[LogInProvider]:
    """Through whom people can log in."""
    return list(providers_offered())


@register.simple_tag(takes_context=True)
def may_sign_up(context: Context) -> bool:
    """Whether to show a link to sign up."""
    request: HttpRequest = context["request"]
    return adapter.may_sign_up(request)
