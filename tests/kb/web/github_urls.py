"""The product's addresses as they are where logging in with GitHub is set up."""

from django.urls import include, path

from config import urls
from config.accounts.urls import github_urlpatterns, provider_urlpatterns

urlpatterns = [*urls.urlpatterns, path("account/", include([*provider_urlpatterns, *github_urlpatterns]))]
handler403, handler404 = urls.handler403, urls.handler404
