"""The pages of one's own tokens: the list, where they are revoked, and the form that makes one."""

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from config.accounts.tokens import LIFETIMES, make_token, revoke_token, tokens_of
from labeling.api.scopes import Scope
from labeling.refusals import RefusedError


class TokenForm(forms.Form):
    """What a new token is for, and until when."""

    name = forms.CharField(max_length=80)
    scopes = forms.MultipleChoiceField(choices=Scope.choices, widget=forms.CheckboxSelectMultiple)
    days = forms.TypedChoiceField(
        choices=[(days, f"{days} days") for days in LIFETIMES], coerce=int, initial=30, widget=forms.Select
    )

    def clean_scopes(self) -> list[Scope]:
        """As scopes."""
        return [Scope(scope) for scope in self.cleaned_data["scopes"]]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def token_list(request: HttpRequest) -> HttpResponse:
    """One's tokens; POST revokes one."""
    user = _person(request)
    if request.method == "POST":
        if revoke_token(user=user, token_key=request.POST.get("token", "")):
            messages.success(request, "The token is revoked: no program can use it any more.")
        return redirect("account_tokens")
    return render(request, "account/tokens.html", {"tokens": tokens_of(user=user), "now": timezone.now()})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def new_token(request: HttpRequest) -> HttpResponse:
    """The form; on POST the new token, shown this once. The password is asked for once more before."""
    form = TokenForm(request.POST or None)
    if not form.is_valid():
        return render(request, "account/token_new.html", {"form": form})
    try:
        token, secret = make_token(user=_person(request), **form.cleaned_data)
    except RefusedError as error:
        return render(request, "account/token_new.html", {"form": form, "refusal": str(error)}, status=409)
    get_adapter(request).send_notification_mail("account/email/token_made", token.user, {"token": token})
    return render(request, "account/token_made.html", {"token": token, "secret": secret})


def _person(request: HttpRequest) -> User:
    """Whoever is logged in; `login_required` lets nobody else pass."""
    if not isinstance(request.user, User):
        raise TypeError
    return request.user
