"""Every page of Explore, wide and narrow, light and dark: as test_accessibility.py looks at those to read."""

import pytest

from tests.e2e.addresses import EXPLORING
from tests.e2e.axe import sweep
from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e


def test_every_page_is_clean(open_page: OpenPage) -> None:
    sweep(open_page("/", color_scheme="light", reduced_motion="reduce"), EXPLORING)
