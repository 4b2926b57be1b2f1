"""What is hidden of a text, what is not, and that no text takes long."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.secrets import Kind, Masked, mask, mask_in_place
from kb.core.secrets.masking import HIDDEN, SIGNS
from tests.support.growth import MOST, growth
from tests.support.made_up import HARMLESS, PASTED, Pasted

SOME = 40_000
# Measured: with a 65th sign, looking for them takes more than twice as long.
MOST_SIGNS = 64
BOTH = pytest.mark.parametrize("hide", [mask, mask_in_place])

REPEATED = (
    "a@a.", "a@a.com", "://a:b@", "://", "@", "a.", "-", "eyJ.", "eyJaaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\naaaaaaaaaaaaaaaaaaaaaaaa\n", "wandb " + "3f" * 20 + " ", "AKIA" + "Q2" * 8 + " ",
    "password=a", "pwd='a", 'token":"', "api_key=" + "a1" * 20 + " ", "secret: ", "[removed]", "[", "/", "bearer a1",
    "Authorization: token ", "&sig=", "x@x.x.x.x.x.x.x.x ", "\\_", "hf_A1", "sk-a1B2", "pwd=zqwertyuiop ",
    "token='zqwertyuiopasdfghjklzxcvbnm'", "ü", "ghp_ü",
)  # fmt: skip
# Texts of what the finders look at: whole secrets, halves of them, signs, and what stands between.
pieces = st.one_of(
    st.sampled_from([one.text for one in PASTED]),
    st.sampled_from([secret for one in PASTED for secret in one.secrets]),
    st.sampled_from([secret[: len(secret) // 2] for one in PASTED for secret in one.secrets]),
    st.sampled_from(HARMLESS),
    st.sampled_from(SIGNS),
    st.sampled_from(["\n", " ", '"', "'", "=", ": ", "[", "]", "://", "@", ".", "a1", "/", "ssh ", "wandb key "]),
    st.text(max_size=12),
)
hostile = st.lists(pieces, max_size=12).map("".join)


def hidden_forms(text: str) -> list[str]:
    return [found[0] for found in HIDDEN.finditer(text)]


class TestWhatIsHidden:
    @BOTH
    @pytest.mark.parametrize("pasted", PASTED, ids=lambda one: one.kind.replace(" ", "-"))
    def test_a_secret_goes_and_a_word_says_what_it_was(self, pasted: Pasted, hide: Callable[[str], Masked]) -> None:
        text, found = hide(pasted.text)
        assert [secret for secret in pasted.secrets if secret in text] == []
        assert set(found) == {pasted.kind}
        assert hidden_forms(text)

    @pytest.mark.parametrize("text", HARMLESS)
    def test_what_only_looks_like_one_stays(self, text: str) -> None:
        assert mask(text) == (text, {})
        assert mask(f"It says:\n{text}\nand ends.").found == {}

    def test_the_other_characters_stay(self) -> None:
        token = PASTED[0].secrets[0]
        assert mask(f"a {token} b\n{token}").text == "a [GitHub token removed] b\n[GitHub token removed]"

    def test_each_kind_is_counted(self) -> None:
        token, mail = PASTED[0].secrets[0], "ada@analytical-engines.com"
        assert mask(f"{token} {mail} {mail}").found == Counter({Kind.GITHUB: 1, Kind.EMAIL: 2})

    def test_a_text_without_secrets_is_the_very_same(self) -> None:
        text = "RuntimeError: NCCL error"
        assert mask(text).text is text
        assert mask("a@b and max_tokens=3").found == {}

    def test_half_a_character_is_no_reason_to_fail(self) -> None:
        token = PASTED[0].secrets[0]
        assert mask(f"\ud83d {token}").text == "\ud83d [GitHub token removed]"

    def test_a_key_in_lines_leaves_as_many_lines(self) -> None:
        (pasted,) = [one for one in PASTED if one.text.startswith("my key:") and "OPENSSH" in one.text]
        lines = mask(pasted.text).text.split("\n")
        assert len(lines) == pasted.text.count("\n") + 1
        assert (lines[0], lines[1], lines[-1]) == ("my key:", "[private key removed]", "it is not taken")


class TestInPlace:
    @given(text=hostile)
    def test_every_other_character_stays_at_its_place(self, text: str) -> None:
        shown = mask_in_place(text).text
        assert len(shown) == len(text)
        assert [at for at, char in enumerate(text) if char == "\n"] == [
            at for at, char in enumerate(shown) if char == "\n"
        ]
        assert len(mask(text).found) == len(mask_in_place(text).found)

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("ftp://a:" + "b7c" + "@c", "ftp://a:[.]@c"),
            ("ftp://a:" + "b7cd5ef89" + "@c", "ftp://a:[removed]@c"),
            ("ftp://a:" + "b7cd5ef89012" + "@c", "ftp://a:[removed...]@c"),
            ("jo@" + "analytical-engine.org", "[e-mail address removed]"),
        ],
    )
    def test_the_word_is_as_long_as_what_it_stands_for(self, text: str, shown: str) -> None:
        assert mask_in_place(text).text == shown


class TestAnyText:
    @BOTH
    @given(text=hostile)
    def test_hiding_twice_hides_nothing_more(self, text: str, hide: Callable[[str], Masked]) -> None:
        once = hide(text).text
        assert hide(once).text == once
        assert mask(once).found == {}
        assert mask_in_place(once).found == {}

    @given(text=hostile)
    def test_nothing_is_added_but_words_for_what_went(self, text: str) -> None:
        shown, found = mask(text)
        assert (shown == text) == (not found)
        assert len(hidden_forms(shown)) == len(hidden_forms(text)) + sum(found.values())

    def test_the_signs_are_few_enough_to_be_looked_for_together(self) -> None:
        assert len(SIGNS) <= MOST_SIGNS

    @pytest.mark.parametrize("unit", [*SIGNS, *REPEATED])
    def test_time_grows_with_the_text_and_not_with_its_square(self, unit: str) -> None:
        assert growth(lambda size: mask(unit * size), SOME // len(unit)) < MOST
        assert growth(lambda size: mask_in_place(unit * size), SOME // len(unit)) < MOST

    @pytest.mark.parametrize("unit", [*SIGNS, *REPEATED])
    def test_hiding_much_twice_hides_nothing_more(self, unit: str) -> None:
        shown = mask(unit * (SOME // len(unit))).text
        assert mask(shown).text == shown
