"""The product's addresses and one that breaks."""

from typing import Never

from django.urls import path
from rest_framework.request import Request

from config.urls import urlpatterns as whole
from kb.api.base import ReadView


class Broken(ReadView):
    """A view with a fault."""

    def get(self, request: Request) -> Never:  # noqa: ARG002
        raise RuntimeError("a secret detail")


urlpatterns = [path("api/v1/broken/", Broken.as_view()), *whole]
