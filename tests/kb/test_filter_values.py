"""How the values of filters are written: pure text."""

from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.filter_values import Value, join_values, split_values


class TestValuesAsText:
    @given(st.text(max_size=200))
    def test_any_text_is_split_without_an_exception(self, text: str) -> None:
        assert all(value.text for value in split_values(text))

    @given(st.lists(st.builds(Value, st.text("ab ,-:>.é", min_size=1).map(str.strip).filter(bool), st.booleans())))
    def test_what_is_joined_splits_into_the_same(self, values: list[Value]) -> None:
        assert list(split_values(join_values(values))) == values
