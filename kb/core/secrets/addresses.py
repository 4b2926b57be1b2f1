"""What has an @: e-mail addresses, and passwords in the addresses of servers.

Much that has an @ is no e-mail address: where a repository is cloned from, a prompt, a decorator, a package with its
version, a product of matrices. So an address must end as addresses of mail do, and stand as one would write it.
"""

import re

from kb.core.secrets.kinds import Kind, Span
from kb.core.secrets.values import is_random, is_url_password

LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
# What a host begins with besides letters and digits: an address of version 6, a variable.
HOST = ("[", "$", "{", "<")
MOST_LOCAL, MOST_AUTHORITY = 64, 300
DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}(?:[a-z]{2,14}|[A-Z]{2,14})(?![A-Za-z0-9_-])"
)
AUTHORITY = re.compile(r"[^\s/\"'`<>?#\\|]{1,300}+")
LONE_SECRET, SHORTEST_DOMAIN = 20, len("x.com")
# What follows a prompt's host: a folder, and the sign that a command comes.
PROMPT = re.compile(r":\S| (?:[~/\w.-]{1,60}|\[[^\]\n]{1,60}\])?\]?[$#%](?=\s|$)|\s?\][$#%]|[(\[]|\.[A-Za-z_]")
COMMAND = re.compile(r"(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\s(?:-\S{1,20}\s){0,4}|//)$")
NO_PERSON = {"git", "hg", "root", "svn"}
NO_REPLY = re.compile(r"no-?_?reply|do-?_?not-?_?reply|your|user-?name|^(?:user|name|email|someone|somebody|you)$")
EXAMPLES = {
    "bar.com", "company.com", "domain.com", "email.com", "example.com", "example.net", "example.org", "foo.com",
    "host.com", "hostname.com", "server.com", "test.com", "xxx.com", "users.noreply.github.com",
}  # fmt: skip
# Endings that mail has. Those of files and of methods are left out (.py, .sh, .md, .rs, .so, .ml), although a country
# has each of them.
GENERIC = (
    "com org net edu gov mil int info biz name pro dev app tech cloud online site top club vip email mail science "
    "systems network computer software solutions group company academy team world life today space agency studio xyz "
    "asia berlin london paris tokyo moscow"
)
COUNTRIES = (
    "ac ad ae af ag ai al am ao ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf "
    "cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf "
    "gg gh gi gl gm gn gp gr gt gu gw gy hk hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kr "
    "kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mk mm mn mo mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni "
    "nl no np nr nu nz om pa pe pf pg ph pk pl pr pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr st sv sx sy "
    "sz tc td tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
)
ENDINGS = frozenset(f"{GENERIC} {COUNTRIES}".split())


def find(text: str) -> list[Span]:
    """All passwords and e-mail addresses around an @ in the text."""
    spans: list[Span] = []
    at = text.find("@", 1)
    while at >= 0:
        end = at + 1
        # Most stand alone (“CPU @ 2.4 GHz”), begin a word (decorators, people), or are followed by no host.
        following = text[at + 1 : at + 2]
        if text[at - 1] > " " and (following.isalnum() or following in HOST):
            authority = _authority(text, at)
            span = _email(text, at) if authority is None else _password(text, at, *authority)
            if span is not None:
                spans.append(span)
                end = max(end, span.end)
        at = text.find("@", end)
    return spans


def _authority(text: str, at: int) -> tuple[int, int] | None:
    """From where to where the server's part of an address goes, if this @ stands in one."""
    start = text.rfind("://", max(0, at - MOST_AUTHORITY), at) + len("://")
    match = AUTHORITY.match(text, start) if start >= len("://") else None
    return match.span() if match and match.end() > at else None


def _password(text: str, at: int, start: int, end: int) -> Span | None:
    """The password in `scheme://user:password@host`, or a token that stands there alone."""
    # A password may have an @ of its own: the last one ends it.
    end = text.rfind("@", at, end)
    colon = text.find(":", start, end)
    if colon >= 0:
        is_secret = is_url_password(text[colon + 1 : end])
        start = colon + 1
    else:
        is_secret = end - start >= LONE_SECRET and is_random(text[start:end])
    return Span(start, end, Kind.URL_PASSWORD) if is_secret else None


def _email(text: str, at: int) -> Span | None:
    match = DOMAIN.match(text, at + 1)
    if match is None or match[0].rpartition(".")[2].lower() not in ENDINGS:
        return None
    before = text[max(0, at - MOST_LOCAL - 1) : at]
    local, domain = before[len(before.rstrip(LOCAL)) :].lstrip("._%+-").lower(), match[0].lower()
    start = at - len(local)
    if not 0 < len(local) <= MOST_LOCAL or len(domain) < SHORTEST_DOMAIN:
        return None
    if local in NO_PERSON or NO_REPLY.search(local) or domain in EXAMPLES or domain.startswith("your"):
        return None
    if PROMPT.match(text, match.end()) or COMMAND.search(text, max(0, start - 40), start):
        return None
    return Span(start, match.end(), Kind.EMAIL)
