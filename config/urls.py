"""The whole product's addresses on one screen."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("kb.web.urls")),
    path("api/", include("kb.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "kb.web.errors.bad_request"
handler403 = "kb.web.errors.permission_denied"
handler404 = "kb.web.errors.page_not_found"
handler500 = "kb.web.errors.server_error"
