"""Claims of one study in files of their own, which stand for those that ship."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.codebook import claims as files

STUDY = "p9"
WHY = "Ours are chosen by what people ask about."
HANGS = {
    "slug": "hangs", "kind": "share", "says": "Half of the reports hang.", "place": "Table 1", "trust": "primary",
    "published": {"percent": 50}, "measure": {"kind": "share", "base": "curated=true", "part": "symptom=hang"},
    "why": WHY, "served_by": [{"path": "/playbooks/", "name": "Playbooks"}],
}  # fmt: skip
NEVER = {
    "slug": "never-crash", "kind": "finding", "says": "Reports never crash.", "place": "Finding 2",
    "trust": "secondary", "published": {"never": True}, "why": WHY,
    "measure": {"kind": "share", "base": "curated=true", "part": "symptom=crash"},
}  # fmt: skip
RATIO = {
    "slug": "more-hangs", "kind": "finding", "says": "Hangs are twice as many as crashes.", "place": "Finding 3",
    "trust": "primary", "published": {"ratio": 2},
    "measure": {"kind": "ratio", "base": "curated=true", "first": "symptom=hang", "second": "symptom=crash"},
    "why": WHY,
}  # fmt: skip
ORDER = {
    "slug": "top", "kind": "finding", "says": "Hangs are most frequent.", "place": "Table 2", "trust": "primary",
    "published": {"order": ["hang"]}, "measure": {"kind": "order", "base": "curated=true", "by": "symptom", "top": 1},
    "why": WHY,
}  # fmt: skip
ADVICE = {
    "slug": "watch", "kind": "recommendation", "says": "Watch collectives.", "place": "Section 5", "trust": "primary",
    "cannot": "It is advice: nothing of it can be counted.",
}  # fmt: skip
UNPRINTED = {
    "slug": "told", "kind": "finding", "says": "A symptom does not tell the cause.", "place": "Abstract",
    "trust": "primary", "measure": {"kind": "symptom_tells_cause"}, "why": WHY,
}  # fmt: skip
F1 = {
    "slug": "f1", "kind": "accuracy", "says": "Lines are found with an F1 of some size.", "place": "Table 3",
    "trust": "primary", "published": {"number": 0.01, "unit": "F1", "bound": "at_least"},
    "measure": {"kind": "evaluation", "of": "diagnosis", "name": "f1"}, "why": WHY,
}  # fmt: skip
ALL = (HANGS, NEVER, RATIO, ORDER, ADVICE, UNPRINTED, F1)


@pytest.fixture
def claim_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`ALL`, of the study p9."""
    folder = tmp_path / "studies/claims"
    folder.mkdir(parents=True)
    content: dict[str, Any] = {"study": STUDY, "claims": list(ALL)}
    (folder / "p9.yaml").write_text(yaml.safe_dump(content))
    monkeypatch.setattr(files, "HERE", tmp_path)
    files.claims_by_study.cache_clear()
    yield
    files.claims_by_study.cache_clear()
