"""The page about one's own account, its deletion, and an addition to allauth's reset of passwords."""

from allauth.account.decorators import reauthentication_required
from allauth.account.forms import ResetPasswordKeyForm
from allauth.account.models import EmailAddress
from allauth.account.views import PasswordResetFromKeyView
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from config.accounts.deletion import delete_account
from config.accounts.devices import remember_device
from config.accounts.providers import names_of
from labeling.refusals import RefusedError


@require_safe
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    """What an account is made of, with links to change each part."""
    user = request.user
    context = {
        "addresses": EmailAddress.objects.filter(user_id=user.pk).order_by("-primary", "email"),
        "second_factor": is_mfa_enabled(user),
        "sessions": len(UserSession.objects.purge_and_list(user)),
        "connected": names_of(SocialAccount.objects.filter(user_id=user.pk).order_by("pk")),
        "contact": settings.CONTACT_EMAIL,
    }
    return render(request, "account/overview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def deletion(request: HttpRequest) -> HttpResponse:
    """What deleting one's account does; on POST, delete it. The password is asked for once more before."""
    refusal = ""
    if request.method == "POST" and request.user.is_authenticated:
        try:
            delete_account(user=request.user)
        except RefusedError as error:
            refusal = str(error)
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("account_login")
    return render(request, "account/delete.html", {"refusal": refusal}, status=409 if refusal else 200)


class PasswordResetByLink(PasswordResetFromKeyView):  # type: ignore[misc]
    """Sets a new password by the link in a mail."""

    def form_valid(self, form: ResetPasswordKeyForm) -> HttpResponse:
        """Remember the device: whoever guessed wrong before may log in at once."""
        response: HttpResponse = super().form_valid(form)
        remember_device(self.request, response, self.reset_user)
        return response


password_reset_from_key = PasswordResetByLink.as_view()
