"""Logging in through an issuer of OpenID Connect: allauth's views, stricter about what counts as the issuer's word."""

import logging
from typing import Any

from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from requests import RequestException

logger = logging.getLogger(__name__)


class SignedTokensAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Takes nobody's word without a signed token; allauth does where the token came over TLS."""

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **more: Any) -> SocialLogin:
        """The person of the token. Raises OAuth2Error without a token, or where the issuer names two people."""
        if not more["response"].get("id_token"):
            raise OAuth2Error("The issuer sent no id_token")
        login: SocialLogin = super().complete_login(request, app, token, **more)
        claims = login.account.extra_data
        if claims["userinfo"].get("sub") != claims["id_token"].get("sub"):
            raise OAuth2Error("The issuer's userinfo is about somebody else")
        return login

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        """The claims of the token. Raises OAuth2Error if it is not signed by a key that the issuer publishes."""
        try:
            claims: dict[str, Any] = jwtkit.verify_and_decode(
                credential=id_token,
                keys_url=self.openid_config["jwks_uri"],
                issuer=self.openid_config["issuer"],
                audience=app.client_id,
                lookup_kid=jwtkit.lookup_kid_jwk,
            )
        except (KeyError, TypeError) as error:
            # A token without a key's name, or one whose algorithm does not fit the key.
            raise OAuth2Error("Invalid id_token") from error
        return claims


def oidc_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the issuer; where it cannot be asked for its addresses, say so."""
    view = OAuth2LoginView.adapter_view(SignedTokensAdapter(request, provider_id))
    try:
        response: HttpResponse = view(request)
    except RequestException:
        logger.exception("The issuer of OpenID Connect does not answer")
        return render(request, "socialaccount/authentication_error.html", status=502)
    return response


def oidc_callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take in the person who comes back from the issuer."""
    view = OAuth2CallbackView.adapter_view(SignedTokensAdapter(request, provider_id))
    response: HttpResponse = view(request)
    return response
