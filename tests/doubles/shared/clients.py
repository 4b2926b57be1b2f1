"""Clients of a double: plain ones that follow no redirects and try nothing twice."""

import ssl
from typing import Any

import httpx

from tests.doubles.github import GitHubDouble

# Made once: reading the certificates takes longer than most tests here.
CONTEXT = ssl.create_default_context()


def connect(double: GitHubDouble | str, token: str = "", **more: Any) -> httpx.Client:
    """A client of a double, or of an address; without a token it is anonymous."""
    address = double if isinstance(double, str) else double.api_url
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, headers=headers, verify=CONTEXT, timeout=5, **more)
