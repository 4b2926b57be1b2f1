"""allauth's adapters: who may sign up, whose e-mail address must be confirmed, and how errors are worded."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.account.stages import EmailVerificationStage
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from config.accounts.devices import known_device, remember_device
from config.accounts.first_account import make_first_staff
from config.accounts.guesses import count_guess
from kb.http.visitors import address_of
from labeling.web.setup.join import count_account, has_invitation, invitation_address, opens_sign_up
from labeling.web.work.landing import work_address

logger = logging.getLogger(__name__)


def may_sign_up(request: HttpRequest) -> bool:
    """Whether the visitor may make an account: anybody where sign-up is open, else by an invitation to newcomers.

    Everything that offers or accepts a sign-up calls this.
    """
    return bool(settings.SIGNUP_OPEN) or opens_sign_up(request)


def count_where_closed(request: HttpRequest) -> None:
    """Where sign-up is closed, count a new account against the invitation that opens it."""
    if not settings.SIGNUP_OPEN:
        count_account(request)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's behaviour with our answers in it."""

    error_messages = DefaultAccountAdapter.error_messages | {
        # One sentence for a wrong password and for a name that nobody has.
        **dict.fromkeys(
            ("email_password_mismatch", "username_password_mismatch"),
            "This name and password do not belong together. Check both; capitals count in the password.",
        ),
        "incorrect_password": "This is not your password.",
        "enter_current_password": "This is not your current password.",
        "duplicate_email": "This address is already yours.",
        "max_email_addresses": "An account can have %d addresses. Remove one first.",
        "account_inactive": "This account is closed.",
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that everything else counts by, too."""
        return address_of(request)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """See `may_sign_up`."""
        return may_sign_up(request)

    @transaction.atomic
    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Save a new account; count it where an invitation opened it, and make a local site's first one staff."""
        count_where_closed(request)
        saved: User = super().save_user(request, user, form, commit)
        if commit:
            make_first_staff(saved)
        return saved

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead back to the invitation that somebody opened before they logged in, else to their work or account.

        allauth asks only where the address of the log-in page does not say where to go on.
        """
        if has_invitation(request):
            return invitation_address(request)
        work = work_address(request.user) if isinstance(request.user, User) else ""
        return work or str(super().get_login_redirect_url(request))

    def is_ajax(self, _request: HttpRequest) -> bool:
        """Answer with pages only; allauth would otherwise speak JSON to whoever asks for it."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: str) -> User | None:
        """Check a password once. What looks like an address comes both as one and as a name, which looks for both.

        Checked twice, the answer for an address that is known would take twice as long.
        """
        if credentials.get("email") == credentials.get("username"):
            del credentials["email"]
        user: User | None = super().authenticate(request, **credentials)
        return user

    def pre_authenticate(self, request: HttpRequest, **credentials: str) -> None:
        """Count the password as a guess; allauth takes that back where it is right."""
        names = [credentials[field] for field in ("username", "email") if credentials.get(field)]
        self._login_failed_rl_usage = count_guess(request, "password", names[0], known_device(request, names))

    def authentication_failed(self, request: HttpRequest, **_credentials: str) -> None:
        """Log that a password was wrong, and from where; whose it was meant to be is not known for sure."""
        logger.warning("A wrong password came from %s", address_of(request))

    def login(self, request: HttpRequest, user: User) -> None:
        """Log who came in, and by which way."""
        super().login(request, user)
        ways = [record["method"] for record in get_authentication_records(request, user)]
        logger.info("Account %s logged in by %s", user.pk, ", ".join(ways))

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Remember the device, so that wrong passwords of strangers do not count against it."""
        response: HttpResponse = super().post_login(request, user, **more)
        remember_device(request, response, user)
        return response

    def get_login_stages(self) -> list[str]:
        """Replace allauth's stage, which makes everybody confirm an address, with ours."""
        stages: list[str] = list(super().get_login_stages())
        theirs = stages.index("allauth.account.stages.EmailVerificationStage")
        stages[theirs] = f"{__name__}.{ProofOfAddress.__name__}"
        return stages

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell about a change that is already made: a mail server that is down must not undo or hide it."""
        try:
            super().send_notification_mail(template_prefix, user, context, email)
        except OSError:
            logger.exception("No mail was sent about %s", template_prefix)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Our words for what goes wrong with a second factor."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code is not right. A code is good once, for half a minute; is the phone's clock right?",
        "unverified_email": "Confirm all your e-mail addresses first, or remove those that you cannot confirm.",
        "cannot_generate_recovery_codes": "Recovery codes stand in for an app: set one up first.",
    }


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Logging in through GitHub or an issuer of OpenID Connect: whose word is taken for what, and our own words."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "email_taken": "There is an account with this address already. Log in to it, then connect %s there.",
        "no_password": "Set a password first: you could not log in any more.",
        "no_verified_email": "Confirm an e-mail address first: a forgotten password could not be replaced.",
    }

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Whether this newcomer may make an account: as anybody, or because the issuer's people all may."""
        return _signs_up_by_issuer(sociallogin) or may_sign_up(request)

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Find the account that has the address, where the issuer is trusted with that.

        Other addresses, and those that it does not call verified by a plain yes, must be confirmed here.
        """
        if not _is_of_issuer(sociallogin):
            return None
        for address in sociallogin.email_addresses:
            address.verified = settings.OIDC_TRUST_EMAIL and address.verified is True
        found: tuple[User, str] | None = super().authenticate_by_email(sociallogin)
        return found

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:  # noqa: ARG002
        """Whether an address opens the account that has it: never by GitHub's word."""
        return _is_of_issuer(login) and bool(settings.OIDC_TRUST_EMAIL)

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Count the account, too, where the provider gave all that is needed; with a form, the account adapter does."""
        if form is None and not _signs_up_by_issuer(sociallogin):
            count_where_closed(request)
        saved: User = super().save_user(request, sociallogin, form)
        make_first_staff(saved)
        return saved


def _is_of_issuer(login: SocialLogin) -> bool:
    return bool(login.account.provider == settings.OIDC_ID)


def _signs_up_by_issuer(login: SocialLogin) -> bool:
    return bool(settings.OIDC_SIGNUP) and _is_of_issuer(login)


class ProofOfAddress(EmailVerificationStage):  # type: ignore[misc]
    """Before a log-in is finished: is the address proved?

    Whoever runs the site makes staff by a command, often before mail works; they would never get in.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        """Return the page that asks for the proof, if it is needed, and whether to go on."""
        user = self.login.user
        if user is not None and user.is_staff:
            return None, True
        response, go_on = super().handle()
        return response, go_on
