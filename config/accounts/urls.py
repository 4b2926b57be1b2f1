"""Addresses below /account/: those of allauth's pages that Faultbook uses, and no others."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as social
from allauth.socialaccount.providers.github import views as github
from allauth.usersessions import views as sessions
from django.conf import settings
from django.urls import URLPattern, path, re_path

from config.accounts.oidc import oidc_callback, oidc_login
from config.accounts.token_pages import new_token, token_list
from config.accounts.views import deletion, overview, password_reset_from_key

urlpatterns = [
    path("", overview, name="account"),
    path("delete/", deletion, name="account_delete"),
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("signup/", account.signup, name="account_signup"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("email/", account.email, name="account_email"),
    path("email/sent/", account.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^email/confirm/(?P<key>[-:\w]+)/$", account.confirm_email, name="account_confirm_email"),
    path("password/change/", account.password_change, name="account_change_password"),
    path("password/set/", account.password_set, name="account_set_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/reset/done/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("2fa/", mfa.index, name="mfa_index"),
    path("2fa/authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/app/on/", totp.activate_totp, name="mfa_activate_totp"),
    path("2fa/app/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("2fa/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("2fa/codes/new/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("2fa/codes/download/", recovery_codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("tokens/", token_list, name="account_tokens"),
    path("tokens/new/", new_token, name="account_token_new"),
    path("sessions/", sessions.list_usersessions, name="usersessions_list"),
]

# Of whoever else vouches for people.
provider_urlpatterns = [
    path("connections/", social.connections, name="socialaccount_connections"),
    path("connections/cancelled/", social.login_cancelled, name="socialaccount_login_cancelled"),
    path("connections/error/", social.login_error, name="socialaccount_login_error"),
    path("connections/signup/", social.signup, name="socialaccount_signup"),
]
github_urlpatterns = [
    path("github/login/", github.oauth2_login, name="github_login"),
    path("github/login/callback/", github.oauth2_callback, name="github_callback"),
]


def oidc_urlpatterns(provider_id: str) -> list[URLPattern]:
    """Of the issuer that is set up; its id stands in no address, so that the callback is always the same."""
    issuer = {"provider_id": provider_id}
    return [
        path("oidc/login/", oidc_login, issuer, name="openid_connect_login"),
        path("oidc/login/callback/", oidc_callback, issuer, name="openid_connect_callback"),
    ]


if settings.GITHUB_LOGIN or settings.OIDC_LOGIN:
    urlpatterns += provider_urlpatterns
if settings.GITHUB_LOGIN:
    urlpatterns += github_urlpatterns
if settings.OIDC_LOGIN:
    urlpatterns += oidc_urlpatterns(settings.OIDC_ID)
