"""The token of a GitHub App's installation. Tokens as given are in `ingest.hosts.asking.tokens`."""

import threading
import time
from collections.abc import Sequence
from datetime import datetime

import jwt

from ingest.hosts.asking.http import Http
from ingest.hosts.asking.tokens import Token
from ingest.hosts.errors import RefusedError

APP_PROOF_SECONDS = 9 * 60
# An installation's token lives an hour; a request must not begin with one that ends under way.
RENEW_BEFORE_SECONDS = 300.0


class AppTokens:
    """The token of one installation of a GitHub App, renewed before it ends.

    See GitHub's "Generating an installation access token for a GitHub App".
    """

    def __init__(self, *, http: Http, api_url: str, app_id: str, private_key: str, installation: str) -> None:
        self._http = http
        self._url = f"{api_url}/app/installations/{installation}/access_tokens"
        self._app_id, self._key, self._name = app_id, private_key, f"app-{app_id}-{installation}"
        self._lock = threading.Lock()
        self._token, self._until = Token(self._name, ""), 0.0

    def all(self) -> Sequence[Token]:
        """The installation's token. Raises `RefusedError` when GitHub gives none."""
        with self._lock:
            if time.time() > self._until - RENEW_BEFORE_SECONDS:
                self._renew()
            return (self._token,)

    def _renew(self) -> None:
        now = int(time.time())
        # A minute back, since GitHub's clock may be behind ours.
        claims = {"iat": now - 60, "exp": now + APP_PROOF_SECONDS, "iss": self._app_id}
        proof = jwt.encode(claims, self._key, algorithm="RS256")
        headers = {"Authorization": f"Bearer {proof}", "Accept": "application/vnd.github+json"}
        answer = self._http.send(method="POST", url=self._url, headers=headers)
        data = answer.data if isinstance(answer.data, dict) else {}
        if answer.status != 201 or not isinstance(data.get("token"), str):
            raise RefusedError(f"GitHub gave the app no token (status {answer.status})")
        self._token = Token(self._name, data["token"])
        self._until = datetime.fromisoformat(data["expires_at"]).timestamp()
