"""Settings, read from the environment; see docs/configuration.md for every variable. Some are in modules beside this.

Without DATABASE_URL and REDIS_URL the addresses of the embedded servers are read from `.data/run.env`,
which `make up` writes.
"""

import os
from importlib.resources import files
from pathlib import Path

import django_stubs_ext
import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from redis.backoff import NoBackoff
from redis.retry import Retry
from whitenoise.compress import Compressor  # type: ignore[import-untyped]

from config import api, database, limits, logs, mirrors, policy, providers, schedule
from config.env_files import BASE_DIR, DATA_DIR, ENV_FILES

# Django's generic classes (`ModelAdmin[Issue]`) can be subscripted at run time too.
django_stubs_ext.monkeypatch()

env = environ.Env()
for env_file in ENV_FILES:
    if env_file.is_file():
        environ.Env.read_env(env_file)
    # As under `make up`: left empty, as in .env.example, they are not set, and run.env may say them.
    for name in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL"):
        if not os.environ.get(name):
            os.environ.pop(name, None)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY")
# Former keys, while a new one takes their place: what they signed still counts.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
# A run on one's own machine over plain http: no TLS redirect, no secure-only cookies.
LOCAL = env.bool("LOCAL", default=False)
# A local run answers to its own names also where a .env for production lies in the folder.
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) + (["127.0.0.1", "localhost", "[::1]"] if LOCAL else [])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SITE_URL = env.str("SITE_URL", default="")

INSTALLED_APPS = [
    # Commands and workers need no admin; `urls` has it look for its tables.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "corsheaders",
    "csp",
    "django_filters",
    "django_htmx",
    "django_include_bootstrap",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "knox",
    "pghistory",
    "pgtrigger",
    "rest_framework",
    "kb",
    "ingest",
    "labeling",
    # After allauth, whose pages in the admin it replaces.
    "config.accounts",
]

MIDDLEWARE = [
    "config.telemetry.middleware.observed",
    "config.front.pages.KeptPages",
    "config.compression.Compression",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.plain_http.refuse_programs",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "config.front.crowds.CrowdCache",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.accounts.middleware.private_answers",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.accounts.staff.second_factor_of_staff",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "pghistory.middleware.HistoryMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "kb.web.parameters.OneTextEach",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

# The front of each web process (config/front): threads that run Django, how many requests may wait for one, how long.
WEB_THREADS = env.int("WEB_THREADS", default=4)
WEB_WAITING = env.int("WEB_WAITING", default=1_000)
WEB_WAIT_SECONDS = env.float("WEB_WAIT_SECONDS", default=3.0)
# What the bodies of its requests take together, in memory or TMPDIR; one visitor's take a quarter at most.
WEB_BODIES_MB = env.int("WEB_BODIES_MB", default=2_000)
# How many proxies in front set X-Forwarded-For; their last so many addresses are believed.
NUM_PROXIES = env.int("NUM_PROXIES", default=0)
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.accounts.context.reader",
            ],
            "builtins": [
                "kb.web.markup.tags",
                "kb.web.search.result_markup",
                "kb.web.navigation",
                "kb.web.link_preview",
                "kb.web.versions",
            ],
        },
    },
]

# How a pooler such as PgBouncer shares PostgreSQL's sessions; empty where there is none.
DATABASE_POOL = env.str("DATABASE_POOL", default="")
DATABASES = {"default": database.settings(env.db_url("DATABASE_URL", default="postgres:///faultbook"), DATABASE_POOL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# History triggers fire once per statement: per row, each opens a sub-transaction, and bulk writes crawl.
PGHISTORY_LEVEL = import_string("pgtrigger.Statement")

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
CACHES = {
    "default": {
        "BACKEND": "config.cache.SoftCache",
        "LOCATION": REDIS_URL,
        # The cache pickles objects by their module: raised when one moves.
        "KEY_PREFIX": "faultbook-4",
        "TIMEOUT": 300,
        # By default a page would wait seconds for a broker that is down.
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 5, "retry": Retry(NoBackoff(), 1)},
    }
}

vars().update(schedule.celery(broker=REDIS_URL, folder=DATA_DIR))

# Who answers searches: tantivy in our own processes, pg_search inside Postgres, or Postgres' own full text, which also
# stands in for both.
SEARCH_ENGINE = env.str("SEARCH_ENGINE", default="tantivy")
if SEARCH_ENGINE not in ("tantivy", "pg_search", "postgres"):
    raise ImproperlyConfigured(f"SEARCH_ENGINE is “{SEARCH_ENGINE}”; it must be tantivy, pg_search or postgres.")
HISTORIES_DIR = DATA_DIR / "histories"  # Clones of repositories whose histories are read.
# For tests and trials: webhooks may go to plain http and into private networks.
WEBHOOKS_LOCAL = env.bool("WEBHOOKS_LOCAL", default=False)
# Dumps of the public knowledge base, and how many versions stay.
DUMPS_DIR = Path(env.str("DUMPS_DIR", default=str(DATA_DIR / "dumps")))
DUMPS_KEPT = env.int("DUMPS_KEPT", default=7)
# Where backups of the database are made every night, if anywhere, and how many of them stay.
BACKUP_DIR = env.str("BACKUP_DIR", default="")
BACKUPS_KEPT = env.int("BACKUPS_KEPT", default=7)
SEARCH_INDEX_DIR = Path(env.str("SEARCH_INDEX_DIR", default=str(DATA_DIR / "search")))
# What the indexer may gather in memory before it writes; more makes rebuilds faster.
SEARCH_WRITER_MEMORY_MB = env.int("SEARCH_WRITER_MEMORY_MB", default=128)
# How long Postgres' own full text may count facets; the results come without them then, and say so.
SEARCH_FACET_MILLISECONDS = env.int("SEARCH_FACET_MILLISECONDS", default=1_500)

# Searches that find nothing close are counted by their words, without who asked.
COUNT_MISSED_SEARCHES = env.bool("COUNT_MISSED_SEARCHES", default=True)

# Diagnoses: how many of one visitor may be under way at a time, MB of one upload, MB of the text in it, minutes of one
# job, and MB that may wait for workers at one time.
DIAGNOSIS_SHARE = env.int("DIAGNOSIS_SHARE", default=2)
DIAGNOSIS_UPLOAD_MB = env.int("DIAGNOSIS_UPLOAD_MB", default=256)
DIAGNOSIS_TEXT_MB = env.int("DIAGNOSIS_TEXT_MB", default=10_240)
DIAGNOSIS_MINUTES = env.int("DIAGNOSIS_MINUTES", default=15)
DIAGNOSIS_CORES = env.int("DIAGNOSIS_CORES", default=2)
DIAGNOSIS_WAITING_MB = env.int("DIAGNOSIS_WAITING_MB", default=4_096)
DIAGNOSE_PAST_RUNS = env.str("DIAGNOSE_PAST_RUNS", default="")  # A folder of logs of earlier jobs, to compare with.
# Files of one form: one of each rank. They are as many as this only where a diagnosis is asked for.
DATA_UPLOAD_MAX_NUMBER_FILES = 5_000
FILE_UPLOAD_HANDLERS = [
    "config.uploads.FewFiles",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

vars().update(mirrors.settings(env))
vars().update(logs.settings(env))

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR / "static")))
# The typeface's package is data: a folder of files, and no app of Django's.
STATICFILES_DIRS = [BASE_DIR / "static", ("fonts", Path(str(files("fontpkg_public_sans"))) / "files")]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "kb.web.plotly.finder.PlotlyFinder",
]
# Compressing everything takes more than a minute: worth it once per image, not on one's own machine.
_static_storage = (
    "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
    if LOCAL
    else "whitenoise.storage.CompressedManifestStaticFilesStorage"
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": env.str("STATIC_STORAGE", default=_static_storage)},
}

WHITENOISE_MIMETYPES = {".ttf": "font/ttf"}
# Source maps are large, and only a programmer's browser asks for them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "config.accounts.passwords.SiteWordsValidator"},
]

# Accounts (docs/decisions/0013-accounts.md). Reading needs none, and a reader without one gets no cookie.
# Who may sign up is decided in config/accounts/adapter.py; on one's own machine anybody may.
SIGNUP_OPEN = env.bool("SIGNUP_OPEN") if env.str("SIGNUP_OPEN", default="") else LOCAL
# Staff without a second factor are led to set one up, and can do nothing else.
STAFF_SECOND_FACTOR = env.bool("STAFF_SECOND_FACTOR", default=False)
# Whom to ask about an account, and whom to tell about a weakness.
CONTACT_EMAIL = env.str("CONTACT_EMAIL", default="")
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "config.accounts.adapter.AccountAdapter"
MFA_ADAPTER = "config.accounts.adapter.SecondFactorAdapter"
SOCIALACCOUNT_ADAPTER = "config.accounts.adapter.ProviderAdapter"
ACCOUNT_RATE_LIMITS = limits.rate_limits(env)
ACCOUNT_FORMS = {
    "reset_password": "config.accounts.forms.CountedReset",
    "signup": "config.accounts.forms.EvenSignUp",
}
MFA_FORMS = {
    "authenticate": "config.accounts.forms.CountedAuthentication",
    "reauthenticate": "config.accounts.forms.CountedReauthentication",
}
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
_log_in = providers.log_in(env, local=LOCAL)
vars().update(_log_in)

# Mail: on one's own machine it is written into files, for everything else EMAIL_URL says how it is sent.
_email_url = env.str("EMAIL_URL", default="")
vars().update(env.email_url_config(_email_url or ("filemail:" if LOCAL else "smtp://localhost:25")))
if LOCAL and not _email_url:
    EMAIL_FILE_PATH = DATA_DIR / "mail"
# Without it on a site, what is sent without being asked for, such as notices, is not tried at all.
SENDS_MAIL = bool(_email_url) or LOCAL
EMAIL_TIMEOUT = 10
_mail_host = next(iter(ALLOWED_HOSTS), "localhost").removeprefix(".")
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="") or f"Faultbook <noreply@{_mail_host}>"
SERVER_EMAIL = DEFAULT_FROM_EMAIL

CONTENT_SECURITY_POLICY = policy.content_security(log_in_origins=_log_in["LOG_IN_ORIGINS"])
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
vars().update(policy.browsers(env, local=LOCAL))

# History notes who wrote; asking on reads as well would make every answer vary by cookie.
PGHISTORY_MIDDLEWARE_METHODS = ("POST", "PUT", "PATCH", "DELETE")

REST_FRAMEWORK = api.rest_framework(env, proxies=NUM_PROXIES)
SPECTACULAR_SETTINGS = api.DESCRIPTION
vars().update(api.TOKENS)
