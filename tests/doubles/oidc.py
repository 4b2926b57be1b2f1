"""An issuer of OpenID Connect on this machine: real addresses over HTTP, real codes with PKCE, signed tokens.

It says yes at once to whoever comes; whom it then vouches for is `person`, and `token_says` changes what tokens claim.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, CLIENT_SECRET = "faultbook", "a secret of the two"


@dataclass
class Person:
    """Whom the issuer vouches for."""

    sub: str = "00u1"
    email: str = "ada@example.org"
    email_verified: object = True
    preferred_username: str = "ada"


@dataclass
class Issuer:
    """The issuer and what it remembers between two requests."""

    address: str
    person: Person = field(default_factory=Person)
    token_says: dict[str, object] = field(default_factory=dict)
    userinfo_says: dict[str, object] = field(default_factory=dict)
    # Puts its name to claims; a test replaces it by a forger.
    sign: Callable[[dict[str, object]], str] = field(default_factory=lambda: signed)
    # Code -> what was asked for with it; access token -> whom it is of.
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    access: dict[str, Person] = field(default_factory=dict)

    def description(self) -> dict[str, object]:
        """What stands at its well-known address."""
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "userinfo_endpoint": f"{self.address}/userinfo",
            "jwks_uri": f"{self.address}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def come(self, asked: dict[str, str]) -> str:
        """Somebody comes and says yes: the address that leads them back, with a code."""
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert {"openid", "email"} <= set(asked["scope"].split())
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(12)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def exchange(self, sent: dict[str, str]) -> dict[str, object] | None:
        """The tokens for a code, once; None where client, secret, address or verifier are not those of the code."""
        asked = self.codes.pop(sent.get("code", ""), None)
        if asked is None or (sent.get("client_id"), sent.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return None
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked["code_challenge"] != challenge or asked["redirect_uri"] != sent.get("redirect_uri"):
            return None
        token = secrets.token_urlsafe(12)
        self.access[token] = self.person
        return {"access_token": token, "token_type": "Bearer", "expires_in": 300, "id_token": self._id_token()}

    def _id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT_ID, "iat": now, "exp": now + 300, **vars(self.person)}
        return self.sign(claims | self.token_says)

    def keys(self) -> dict[str, object]:
        """The public half of the key that tokens are signed with."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_key("the issuer's").public_key()))
        return {"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]}


@cache
def _key(_owner: str) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def signed(claims: dict[str, object]) -> str:
    """A token that the issuer signed."""
    return jwt.encode(claims, _key("the issuer's"), algorithm="RS256", headers={"kid": "one"})


def signed_by_another(claims: dict[str, object]) -> str:
    """With a key of somebody else under the same name."""
    return jwt.encode(claims, _key("a forger's"), algorithm="RS256", headers={"kid": "one"})


def signed_by_a_known_text(claims: dict[str, object]) -> str:
    """By an algorithm for shared secrets."""
    return jwt.encode(claims, "0123456789" * 4, algorithm="HS256", headers={"kid": "one"})


def unsigned(claims: dict[str, object]) -> str:
    """Not at all."""
    return jwt.encode(claims, "", algorithm="none", headers={"kid": "one"})


def signed_without_a_name(claims: dict[str, object]) -> str:
    """Without saying by which key."""
    return jwt.encode(claims, _key("the issuer's"), algorithm="RS256")


class RunningIssuer:
    """A context in which the issuer answers on a free port."""

    def __enter__(self) -> Issuer:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        issuer = Issuer(f"http://127.0.0.1:{self._server.server_port}")
        self._server.issuer = issuer  # type: ignore[attr-defined]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return issuer

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        issuer: Issuer = self.server.issuer  # type: ignore[attr-defined]
        path, _, query = self.path.partition("?")
        if path == "/authorize":
            self.send_response(302)
            self.send_header("Location", issuer.come(_single(query)))
            self.end_headers()
        elif path == "/userinfo":
            person = issuer.access.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
            self._answer(vars(person) | issuer.userinfo_says if person else None)
        else:
            pages = {"/.well-known/openid-configuration": issuer.description, "/keys": issuer.keys}
            self._answer(pages[path]() if path in pages else None)

    def do_POST(self) -> None:
        issuer: Issuer = self.server.issuer  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(issuer.exchange(_single(body)) if urlsplit(self.path).path == "/token" else None)

    def _answer(self, data: dict[str, Any] | None) -> None:
        body = json.dumps({"error": "invalid_request"} if data is None else data).encode()
        self.send_response(400 if data is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Nothing: the tests say what went wrong."""


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
