"""The whole product's addresses on one screen."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from config.telemetry.metrics import metrics

admin.autodiscover()
# One way in for everybody, so that nobody passes by the second factor or the limits on guessing.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", include("kb.web.urls")),
    path("", include("ingest.web.urls")),
    path("metrics", metrics, name="metrics"),
    path("labeling/", include("labeling.web.urls")),
    # Before the public API, which answers every other address below /api/.
    path("api/v1/labeling/", include("labeling.api.urls")),
    path("api/", include("kb.api.urls")),
    path("", include("kb.mcp.urls")),
    path("account/", include("config.accounts.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "kb.web.errors.bad_request"
handler403 = "kb.web.errors.permission_denied"
handler404 = "kb.web.errors.page_not_found"
handler500 = "kb.web.errors.server_error"
# allauth asks for it.
handler429 = "config.accounts.refusals.refuse"
