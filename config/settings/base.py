"""The program itself: applications, pages, database, cache, search, static files, log."""

import importlib.util
from pathlib import Path

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from redis.backoff import NoBackoff
from redis.retry import Retry
from whitenoise.compress import Compressor  # type: ignore[import-untyped]

from config.settings.environment import BASE_DIR, DATA_DIR, LOCAL, env

# Django's generic classes (`ModelAdmin[Issue]`) can be subscripted at run time too.
django_stubs_ext.monkeypatch()

INSTALLED_APPS = [
    "django.contrib.admin",
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
    "allauth.usersessions",
    "corsheaders",
    "csp",
    "django_filters",
    "django_htmx",
    "django_include_bootstrap",
    "drf_spectacular",
    "drf_spectacular_sidecar",
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
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.accounts.middleware.private_answers",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "pghistory.middleware.HistoryMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
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
            "builtins": ["kb.web.tags"],
        },
    },
]

DATABASES = {"default": env.db_url("DATABASE_URL", default="postgres:///faultbook")}
DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# History triggers fire once per statement: per row, each opens a sub-transaction, and bulk writes crawl.
PGHISTORY_LEVEL = import_string("pgtrigger.Statement")

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "faultbook",
        "TIMEOUT": 300,
        # By default a page would wait seconds for a broker that is down.
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 5, "retry": Retry(NoBackoff(), 1)},
    }
}

# Who answers searches: tantivy in our own processes, pg_search inside Postgres, or Postgres' own full text, which also
# stands in for both.
SEARCH_ENGINE = env.str("SEARCH_ENGINE", default="tantivy")
if SEARCH_ENGINE not in ("tantivy", "pg_search", "postgres"):
    raise ImproperlyConfigured(f"SEARCH_ENGINE is “{SEARCH_ENGINE}”; it must be tantivy, pg_search or postgres.")
SEARCH_INDEX_DIR = Path(env.str("SEARCH_INDEX_DIR", default=str(DATA_DIR / "search")))
# What the indexer may gather in memory before it writes; more makes rebuilds faster.
SEARCH_WRITER_MEMORY_MB = env.int("SEARCH_WRITER_MEMORY_MB", default=128)
# How long Postgres' own full text may count facets; the results come without them then, and say so.
SEARCH_FACET_MILLISECONDS = env.int("SEARCH_FACET_MILLISECONDS", default=1_500)

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR / "static")))
# Plotly's script comes from its package, found without importing it; only the chart pages load it.
PLOTLY = Path(str(importlib.util.find_spec("plotly").origin)).parent / "package_data"  # type: ignore[union-attr]
STATICFILES_DIRS = [BASE_DIR / "static", ("plotly", PLOTLY)]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
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

# Source maps are large, and only a programmer's browser asks for them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

# History notes who wrote; asking on reads as well would make every answer vary by cookie.
PGHISTORY_MIDDLEWARE_METHODS = ("POST", "PUT", "PATCH", "DELETE")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {"django.request": {"level": "ERROR"}},
}
