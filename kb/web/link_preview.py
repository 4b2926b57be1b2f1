"""What search engines and chats show of a link to a page: its one address, title, description and picture.

A page says its title and description once, in the blocks of `base.html`; the tag reads them there.
"""

import re
from urllib.parse import parse_qsl, urlencode

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.template import Library, Node, NodeList
from django.template.base import Parser, Token
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from kb.http.site import absolute

register = Library()
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
DESCRIPTION = re.compile(r'<meta name="description"\s+content="(.*?)"', re.DOTALL)
PICTURE = re.compile(r'(<meta property="og:image"\s+content=")(.*?)"', re.DOTALL)
# What advertisers and lists add to an address makes no other page.
NO_PART = re.compile(r"^(utm_\w+|fbclid|gclid|ref)$")


class LinkPreview(Node):
    """`{% link_preview %}` around the title, the description and the picture."""

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        """What is inside, the picture's address made absolute, and the tags that repeat it for other programs."""
        request: HttpRequest = context["request"]
        inside = self.nodelist.render(context)
        try:
            address = context.get("canonical") or canonical_address(request)
        except DisallowedHost:
            return inside  # The page that says so has no address.
        with_picture = PICTURE.sub(lambda match: f'{match[1]}{absolute(request, match[2].strip())}"', inside)
        repeated = format_html(
            '<link rel="canonical" href="{0}">\n<meta property="og:url" content="{0}">\n'
            '<meta property="og:title" content="{1}">\n<meta property="og:description" content="{2}">',
            address,
            _text(TITLE, inside),
            _text(DESCRIPTION, inside),
        )
        return mark_safe(f"{with_picture}\n{repeated}")  # noqa: S308 - a rendered template and escaped text


@register.tag
def link_preview(parser: Parser, _token: Token) -> LinkPreview:
    """The tag, up to `{% endlink_preview %}`."""
    nodelist = parser.parse(("endlink_preview",))
    parser.delete_first_token()
    return LinkPreview(nodelist)


def canonical_address(request: HttpRequest) -> str:
    """The page's address with the same parameters in one order, without empty ones and those that change nothing."""
    given = parse_qsl(request.META.get("QUERY_STRING", ""))
    kept = sorted((name, value) for name, value in given if not NO_PART.match(name) and (name, value) != ("page", "1"))
    return absolute(request, request.path + (f"?{urlencode(kept)}" if kept else ""))


def _text(pattern: re.Pattern[str], html: str) -> SafeString:
    """The text that a pattern finds, escaped as it stands in the page, on one line."""
    match = pattern.search(html)
    return mark_safe(" ".join(match[1].split()) if match else "")  # noqa: S308 - the template has escaped it
