"""Sharing: nothing but what was shown is stored, links cannot be guessed, and what is over is gone."""

import datetime as dt
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.db import IntegrityError
from django.utils import timezone

from kb.core.redaction import Kind
from kb.diagnose import sharing
from kb.diagnose import signed_data as sealing
from kb.diagnose.signed_data import SealError, sealed, unsealed
from kb.models import SharedDiagnosis
from kb.models.shared_diagnoses import MOST_SHARED
from kb.tasks import forget_shared_diagnoses
from tests.kb.diagnose.results import PRIVATE, TOKEN, result

DAY = dt.timedelta(days=1)


class TestSealing:
    def test_what_comes_back_is_what_was_given_out_in_its_order(self) -> None:
        data = result()
        assert unsealed(sealed(data)) == data
        assert list(unsealed(sealed(data))) == list(data)

    @pytest.mark.parametrize("change", ["", "x", "{}"])
    def test_what_was_changed_is_refused(self, change: str) -> None:
        text = sealed(result())
        with pytest.raises(SealError, match="not a result that was made here"):
            unsealed(change and text[:-1] + change)

    def test_what_another_part_of_the_site_signed_is_refused(self) -> None:
        with pytest.raises(SealError):
            unsealed(signing.dumps({"verdict": "failure"}, salt="another"))

    def test_what_is_older_than_a_day_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = sealed(result())
        monkeypatch.setattr(sealing, "MOST_SECONDS", -1)
        with pytest.raises(SealError, match="more than a day old"):
            unsealed(text)

    def test_what_is_too_large_is_not_offered(self) -> None:
        assert sealed(result(sentence="x" * MOST_SHARED)) == ""


class TestThePreview:
    @pytest.mark.django_db
    def test_it_is_the_very_text_that_is_stored(self) -> None:
        shown = sharing.preview(data=result(), title="OOM on gpu-a17")
        row = sharing.share(shown=shown, days=7).row
        assert (row.title, row.data_text) == (
            "OOM on node-1" if "node-1" in shown.title else "OOM on host-1",
            shown.text,
        )
        assert "".join(piece.text for piece in shown.pieces) == shown.text

    def test_nothing_private_is_in_it(self) -> None:
        shown = sharing.preview(data=result(), title=f"{TOKEN} of 10.1.2.3")
        assert [secret for secret in PRIVATE if secret in shown.text + shown.title] == []
        assert shown.redacted.found.keys() >= {Kind.SECRET, Kind.IP, Kind.USER, Kind.PATH}

    def test_kinds_may_be_kept_but_never_a_token(self) -> None:
        text = sharing.preview(data=result(), keep=list(Kind)).text
        assert [secret for secret in PRIVATE if secret not in text] == [TOKEN]

    def test_its_digest_changes_with_what_would_be_stored(self) -> None:
        data = result()
        digests = {
            sharing.preview(data=data).digest,
            sharing.preview(data=data, title="A").digest,
            sharing.preview(data=data, keep=[Kind.IP]).digest,
        }
        assert len(digests) == 3
        assert sharing.preview(data=data).digest in digests

    def test_what_is_too_large_is_refused(self) -> None:
        with pytest.raises(sharing.TooLargeToShareError, match="512 KiB"):
            sharing.preview(data=result(unknown=["x" * MOST_SHARED]))


@pytest.mark.django_db
class TestStoring:
    def test_links_hold_192_bits_of_chance_and_the_deleting_ones_secret_is_not_stored(self) -> None:
        one, other = (sharing.share(shown=sharing.preview(data=result()), days=1) for _ in range(2))
        assert len({one.row.token, other.row.token, one.secret, other.secret}) == 4
        assert min(len(text) for text in (one.row.token, one.secret)) >= 32
        stored = orjson.dumps(list(SharedDiagnosis.objects.values("delete_digest", "token", "data_text"))).decode()
        assert one.secret not in stored

    @pytest.mark.parametrize("days", sharing.DAYS)
    def test_it_ends_when_it_was_said_to(self, days: int) -> None:
        row = sharing.share(shown=sharing.preview(data=result()), days=days).row
        assert dt.timedelta(minutes=-5) < row.expires_at - timezone.now() - days * DAY < dt.timedelta(minutes=5)

    @pytest.mark.parametrize("days", [0, 2, 3650])
    def test_other_numbers_of_days_are_not_offered(self, days: int) -> None:
        with pytest.raises(ValueError, match="not offered"):
            sharing.share(shown=sharing.preview(data=result()), days=days)

    def test_what_is_over_is_not_found_and_soon_deleted(self) -> None:
        old, new = (sharing.share(shown=sharing.preview(data=result()), days=1).row for _ in range(2))
        SharedDiagnosis.objects.filter(pk=old.pk).update(
            created_at=timezone.now() - 2 * DAY, expires_at=timezone.now() - DAY
        )
        with pytest.raises(SharedDiagnosis.DoesNotExist):
            sharing.find(token=old.token)
        forget_shared_diagnoses()
        assert list(SharedDiagnosis.objects.values_list("pk", flat=True)) == [new.pk]

    def test_only_its_owner_and_who_has_the_secret_may_delete_it(self) -> None:
        ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
        stored = sharing.share(shown=sharing.preview(data=result()), days=1, owner=ada)
        anybodys = sharing.share(shown=sharing.preview(data=result()), days=1)
        assert sharing.may_delete(row=stored.row, user_id=ada.pk)
        assert sharing.may_delete(row=stored.row, secret=stored.secret)
        assert not sharing.may_delete(row=stored.row, secret=anybodys.secret, user_id=bob.pk)
        assert not sharing.may_delete(row=anybodys.row)
        assert list(sharing.shared_by(owner=ada)) == [stored.row]

    def test_an_accounts_end_is_the_end_of_what_it_shares(self) -> None:
        ada = User.objects.create_user("ada")
        sharing.share(shown=sharing.preview(data=result()), days=1, owner=ada)
        ada.delete()
        assert not SharedDiagnosis.objects.exists()

    @pytest.mark.parametrize(
        "wrong", [{"token": "short"}, {"delete_digest": ""}, {"data_text": ""}, {"expires_at": timezone.now() - DAY}]
    )
    def test_postgres_refuses_what_contradicts_itself(self, wrong: dict[str, Any]) -> None:
        right = {"token": "t" * 32, "delete_digest": "d" * 64, "data_text": "{}", "expires_at": timezone.now() + DAY}
        with pytest.raises(IntegrityError):
            SharedDiagnosis.objects.create(**(right | wrong))
