"""What browsers may do: the content-security policy, cookies, https, and who may read the API from elsewhere."""

from csp.constants import NONE, SELF

from config.settings.accounts import GITHUB_LOGIN
from config.settings.environment import LOCAL

# Deny unless allowed: our own origin for everything, no frames, no inline script, no plug-ins.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        # Chromium holds a form to this along its redirects, and logging in with GitHub is one.
        "form-action": [SELF, "https://github.com"] if GITHUB_LOGIN else [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
SILENCED_SYSTEM_CHECKS: list[str] = []
if not LOCAL:
    SECURE_SSL_REDIRECT = True
    # Load balancers ask for these over plain http.
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Anybody's page may read the public API; nothing can be written there. Labeling's is for its own pages' sessions.
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS"]
CORS_ALLOW_HEADERS = ["accept", "content-type", "if-none-match"]
CORS_URLS_REGEX = r"^/api/(?!v1/labeling/).*$"
CORS_EXPOSE_HEADERS = ["ETag", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"]
