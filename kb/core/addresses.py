"""Addresses of issues and repositories on their hosts: taking them apart and writing them in one form.

Which repository an address belongs to (renames, aliases) is decided in `kb.services.repositories`.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

GITHUB = "github.com"
GITEE = "gitee.com"
HOSTS = (GITHUB, GITEE)
MAX_NAME = 200

NAME_PART = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
GITEE_CODE = re.compile(r"I[0-9A-Z]{1,18}", re.ASCII)
PULL_WORDS = {"pull", "pulls"}


class BadAddressError(ValueError):
    """Not an address that can be used; the message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class RepositoryAddress:
    """Host and `owner/name`, the name as it was spelled."""

    host: str
    full_name: str

    @property
    def key(self) -> tuple[str, str]:
        """The form in which names are compared: hosts do not tell cases apart."""
        return self.host, self.full_name.lower()


@dataclass(frozen=True, slots=True)
class IssueAddress:
    """Where an issue or pull request lives."""

    repository: RepositoryAddress
    ref: str
    is_pull_request: bool


def parse_issue_address(raw: str) -> IssueAddress:
    """Take an issue's or pull request's address apart.

    Accepts what people paste: http, `www.`, a trailing slash, a query, a fragment, GitHub's API form.
    Raises `BadAddressError`.
    """
    host, parts = _split(raw)
    if len(parts) < 4:
        raise BadAddressError("not the address of an issue: it ends before the number")
    repository = _repository(host, parts)
    word, ref = parts[2].lower(), parts[3]
    if word not in {"issues", *PULL_WORDS}:
        raise BadAddressError(f"not the address of an issue: '/{parts[2][:20]}/' stands where '/issues/' is expected")
    pull = word in PULL_WORDS
    return IssueAddress(repository, _ref(host, ref, pull=pull), pull)


def parse_repository_address(raw: str) -> RepositoryAddress:
    """Take the host and `owner/name` from an address at or below a repository. Raises `BadAddressError`."""
    host, parts = _split(raw)
    return _repository(host, parts)


def issue_address(repository: RepositoryAddress, ref: str, *, is_pull_request: bool) -> str:
    """The one form in which an issue's address is stored."""
    word = "issues"
    if is_pull_request:
        word = "pull" if repository.host == GITHUB else "pulls"
    return f"https://{repository.host}/{repository.full_name}/{word}/{ref}"


def _split(raw: str) -> tuple[str, list[str]]:
    text = raw.strip()
    if not text:
        raise BadAddressError("the address is blank")
    try:
        url = urlsplit(text)
        host = (url.hostname or "").removeprefix("www.")
    except ValueError as error:
        raise BadAddressError("not a web address") from error
    if url.scheme not in {"http", "https"} or not host:
        raise BadAddressError("not a web address: it must begin with https://")
    parts = [part for part in url.path.split("/") if part]
    if host == "api.github.com" and parts[:1] == ["repos"]:
        host, parts = GITHUB, parts[1:]
    if host not in HOSTS:
        raise BadAddressError(f"unknown host '{host[:60]}': only {' and '.join(HOSTS)} are known")
    return host, parts


def _repository(host: str, parts: list[str]) -> RepositoryAddress:
    if len(parts) < 2:
        raise BadAddressError("the address names no repository")
    owner, name = parts[0], parts[1].removesuffix(".git")
    if not all(NAME_PART.fullmatch(part) and part.strip(".") for part in (owner, name)):
        raise BadAddressError("the repository's name has characters that no host allows")
    if len(owner) + len(name) + 1 > MAX_NAME:
        raise BadAddressError("the repository's name is too long")
    return RepositoryAddress(host, f"{owner}/{name}")


def _ref(host: str, ref: str, *, pull: bool) -> str:
    if host == GITEE and not pull:
        if not GITEE_CODE.fullmatch(ref.upper()):
            raise BadAddressError(f"'{ref[:20]}' is not an issue's code on Gitee, such as I71V26")
        return ref.upper()
    if not NUMBER.fullmatch(ref) or not int(ref):
        raise BadAddressError(f"'{ref[:20]}' is not a number")
    return str(int(ref))
