"""The words for a browser in the list of sessions."""

import pytest

from config.accounts.browsers import browser_name

MOZILLA = "Mozilla/5.0"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (f"{MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36", "Chrome on Linux"),
        (f"{MOZILLA} (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"),
        (f"{MOZILLA} (Windows NT 10.0; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on Windows"),
        (f"{MOZILLA} (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile Safari/604.1", "Safari on iPhone"),
        (f"{MOZILLA} (Linux; Android 14) Chrome/126.0 Mobile Safari/537.36", "Chrome on Android"),
        (f"{MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) Version/17.5 Safari/605.1", "Safari on macOS"),
        ("Firefox/127.0", "Firefox"),
        ("curl/8.7.1", "curl/8.7.1"),
        ("", "a browser that does not name itself"),
    ],
)
def test_a_browser_is_named_in_words(sent: str, words: str) -> None:
    assert browser_name(sent) == words
