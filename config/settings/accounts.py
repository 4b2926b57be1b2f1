"""Accounts and mail."""

from config.settings.environment import ALLOWED_HOSTS, DATA_DIR, LOCAL, env

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Accounts (docs/decisions/0013-accounts.md). Reading needs none, and a reader without one gets no cookie.
# Who may sign up is decided in config/accounts/adapter.py; on one's own machine anybody may.
SIGNUP_OPEN = env.bool("SIGNUP_OPEN") if env.str("SIGNUP_OPEN", default="") else LOCAL
# Whom to ask about an account, shown on the account pages.
CONTACT_EMAIL = env.str("CONTACT_EMAIL", default="")
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("NUM_PROXIES", default=0)
ACCOUNT_ADAPTER = "config.accounts.adapter.AccountAdapter"
MFA_ADAPTER = "config.accounts.adapter.SecondFactorAdapter"
SOCIALACCOUNT_ADAPTER = "config.accounts.adapter.GitHubAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
# An address must be proved before the first log-in; on one's own machine nobody need read the mail first.
ACCOUNT_EMAIL_VERIFICATION = "optional" if LOCAL else "mandatory"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Faultbook] "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if LOCAL else "https"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Faultbook"
MFA_ALLOW_UNVERIFIED_EMAIL = LOCAL
# Both are needed for logging in with GitHub; without them its addresses do not exist.
GITHUB_LOGIN_ID = env.str("GITHUB_LOGIN_ID", default="")
GITHUB_LOGIN_SECRET = env.str("GITHUB_LOGIN_SECRET", default="")
GITHUB_LOGIN = bool(GITHUB_LOGIN_ID and GITHUB_LOGIN_SECRET)
_github_app = {"client_id": GITHUB_LOGIN_ID, "secret": GITHUB_LOGIN_SECRET}
SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [_github_app], "OAUTH_PKCE_ENABLED": True}} if GITHUB_LOGIN else {}

# Mail: on one's own machine it is written into files, for everything else EMAIL_URL says how it is sent.
_email_url = env.str("EMAIL_URL", default="")
vars().update(env.email_url_config(_email_url or ("filemail:" if LOCAL else "smtp://localhost:25")))
if LOCAL and not _email_url:
    EMAIL_FILE_PATH = DATA_DIR / "mail"
EMAIL_TIMEOUT = 10
_mail_host = next(iter(ALLOWED_HOSTS), "localhost").removeprefix(".")
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="") or f"Faultbook <noreply@{_mail_host}>"
SERVER_EMAIL = DEFAULT_FROM_EMAIL
