"""allauth's forms, with limits on how often they are sent, and without a timing that tells who has an account."""

import logging
from typing import Any

from allauth.account.forms import ResetPasswordForm, SignupForm
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from config.accounts.devices import known_device, known_device_of
from config.accounts.guesses import count_guess
from kb.http.visitors import address_of

logger = logging.getLogger(__name__)


class CountedReset(ResetPasswordForm):  # type: ignore[misc]
    """Asks for the mail with a reset link, within limits."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Count the try, then send the mail."""
        email: str = self.cleaned_data["email"]
        count_guess(request, "reset", email, known_device(request, [email]))
        return str(super().save(request, **kwargs))


class CountedCode:
    """Takes a code of the second factor, within limits."""

    user: User

    def clean_code(self) -> str:
        """Count the try, and take it back if the code is right."""
        request = context.request
        tries = count_guess(request, "code", str(self.user.pk), known_device_of(request, self.user))
        try:
            code = str(super().clean_code())  # type: ignore[misc]
        except ValidationError:
            logger.warning("A wrong code for account %s came from %s", self.user.pk, address_of(request))
            raise
        tries.rollback()
        return code


class CountedAuthentication(CountedCode, AuthenticateForm):  # type: ignore[misc]
    """The code at log-in."""


class CountedReauthentication(CountedCode, ReauthenticateForm):  # type: ignore[misc]
    """The code before what could lock somebody out."""


class EvenSignUp(SignupForm):  # type: ignore[misc]
    """Takes as long for an address that has an account as for a new one."""

    def try_save(self, request: HttpRequest) -> Any:
        """Hash the password where no account is made either; one mail is sent in both cases."""
        if self.account_already_exists:
            User().set_password(self.cleaned_data["password1"])
        return super().try_save(request)
