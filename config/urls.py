"""The whole product's addresses on one screen."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("kb.web.urls")),
    path("api/", include("kb.api.urls")),
    path("admin/", admin.site.urls),
]
