"""Whatever is sent for a diagnosis: a clear answer, bounded, nothing stored, and never a fault of ours."""

import bz2
import gzip
import io
import json
import lzma
import math
import pickle
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings, strategies
from pytest_django import Settings

from kb.api.views import diagnose
from kb.models import DiagnosisJob, DiagnosisUpload
from tests.kb.diagnose.runs import ERROR, FAILED, as_tar, as_zip, bomb, steps, uploaded

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/diagnose"
MIB = 1 << 20
LOG = FAILED.encode()
RAW = "application/octet-stream"
bounded = settings(max_examples=150, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


def links() -> bytes:
    """An archive of names that lead out of it, and of links."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in ("../../etc/cron.d/job", "/etc/passwd"):
            member = tarfile.TarInfo(name)
            member.size = len(LOG)
            archive.addfile(member, io.BytesIO(LOG))
        link = tarfile.TarInfo("job.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return content.getvalue()


def strange_names() -> bytes:
    """An archive whose names break lines, pages and UTF-8."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("a\nb.log", "<script>alert(1)</script>.log", "\udcff\udcfe.log", "x" * 5_000):
            member = tarfile.TarInfo(name)
            member.size = len(LOG)
            archive.addfile(member, io.BytesIO(LOG))
    return content.getvalue()


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """No table and no folder has anything of what was sent."""
    rates = {"anon": None, "diagnosis": None}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # How long a busy machine takes for a hundred thousand ranks is not asked here.
    monkeypatch.setattr(diagnose, "AT_ONCE", replace(diagnose.AT_ONCE, seconds=math.inf))
    yield
    assert list(tmp_path.iterdir()) == []
    assert not DiagnosisJob.objects.exists()
    assert not DiagnosisUpload.objects.exists()


def post(client: Client, content: bytes | str, media_type: str = RAW, **extra: Any) -> Any:
    return client.generic("POST", ADDRESS, content, media_type, **extra)


REFUSED = {
    "empty": (b"", "There is no log in the request"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 50, "does not look like a text log"),
    "noise": (bytes(place * place % 251 for place in range(99_000)), "does not look like a text log"),
    "NULs alone": (bytes(5_000), "Give the log itself"),
    "the head of a gzip file": (gzip.compress(LOG)[:8], "cut off"),
    "a damaged gzip file": (gzip.compress(LOG)[:12] + b"\xff" * 200, "damaged"),
    "an empty tar": (as_tar({}), "Give the log itself"),
    "an empty zip": (as_zip({}), "Give the log itself"),
    "a zip that breaks off before its first file": (as_zip({"a.log": LOG})[:20], "damaged"),
    "names that lead out, and links": (links(), "leads out of the archive"),
    "packed too often": (gzip.compress(gzip.compress(gzip.compress(gzip.compress(LOG)))), "more than 3 times"),
    "a pickle that runs something": (pickle.dumps(Path("/tmp").exists), "left out"),  # noqa: S108
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_what_to_do(client: Client, case: str) -> None:
    content, why = REFUSED[case]
    response = post(client, content)
    assert response.status_code == 400, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    if case != "a pickle that runs something":
        assert why in response.json()["detail"]


READ = {
    "truncated gzip": (gzip.compress(steps(400_000).encode() + LOG)[:-5_000], "cut off"),
    "a way out beside a log": (as_tar({"../x.log": LOG, "job.log": LOG}), "leads out of the archive"),
    "a picture beside a log": (as_zip({"a.png": bytes(range(32)) * 99, "job.log": LOG}), "does not look like a text"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_could_be_read_is_answered_and_the_rest_told(client: Client, case: str) -> None:
    content, why = READ[case]
    response = post(client, content)
    assert response.status_code == 200, response.content
    assert why in " ".join(response.json()["unknown"])


FOUND = {
    "Latin-1": FAILED.replace("train.py", "entraîné.py").encode("latin-1"),
    "UTF-16": FAILED.encode("utf-16"),
    "NULs before it": bytes(9_000) + LOG,
    "Chinese": (("[rank3]: 2026-11-20 10:00:00,000 信息 第 40 步 损失 2.3\n" * 30) + FAILED).encode(),
    "Chinese as GB 18030": (("[rank3]: 2026-11-20 10:00:00,000 信息 第 40 步 损失\n" * 30) + FAILED).encode("gb18030"),
    "carriage returns": FAILED.replace("\n", "\r\n").encode(),
    "one line of 40 MB": gzip.compress(b"x" * (40 * MIB) + b"\n" + LOG),
    "a hundred thousand ranks": gzip.compress(
        b"".join(b"[rank%d]: step 1 loss 2.0\n" % rank for rank in range(100_000)) + LOG
    ),
    "hostile to patterns": (f"{'a.' * 4_000}\n{'rank 1 ' * 3_000}\n{'step ' * 5_000}\n" * 20).encode() + LOG,
    "thousands of files": as_tar({f"logs/rank{rank}": b"step 1 loss 2.0\n" for rank in range(5_000)} | {"z.log": LOG}),
    "strange names": strange_names(),
    "bzip2": bz2.compress(LOG),
    "xz": lzma.compress(LOG),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_odd_logs_are_diagnosed_all_the_same(client: Client, case: str) -> None:
    response = post(client, FOUND[case])
    assert response.status_code == 200, response.content
    assert ERROR in response.json()["lines"][0]["text"]


def test_a_bomb_is_unpacked_no_further_than_a_job_may(client: Client) -> None:
    packed = bomb(400 * MIB)
    assert len(packed) < MIB
    response = post(client, packed)
    assert response.status_code == 202
    assert client.delete(response.json()["url"]).status_code == 204


@pytest.mark.parametrize(
    "media_type",
    ["application/x-www-form-urlencoded", "image/png", "application/xml", "garbage", "a/b; c=/;;;", "multipart/mixed"],
)  # fmt: skip
def test_a_content_type_that_is_not_taken_is_told_which_are(client: Client, media_type: str) -> None:
    response = post(client, LOG, media_type)
    assert response.status_code == 415
    assert "text/plain" in response.json()["detail"]


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (LOG, "multipart/form-data"),
        (LOG, "multipart/form-data; boundary="),
        (LOG, "multipart/form-data; boundary=" + "x" * 500),
        (LOG, "multipart/form-data; boundary=b"),
        (b"--b\r\n\r\n--b--\r\n", "multipart/form-data; boundary=b"),
        (b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", "multipart/form-data; boundary=b"),
        (b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--', "multipart/form-data; boundary=b"),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n!\r\n--b--",
            "multipart/form-data; boundary=b",
        ),
        (
            b'--b\r\nContent-Disposition: form-data; name="log"; filename="a"\r\n\r\nx\r\n--b--',
            "multipart/form-data; boundary=b",
        ),
        (
            b'--b\r\nContent-Disposition: form-data; name="healthy"; filename="a"\r\n\r\nx\r\n--b--',
            "multipart/form-data; boundary=b",
        ),
    ],
)
def test_a_broken_form_is_refused(client: Client, body: bytes, media_type: str) -> None:
    response = post(client, body, media_type)
    assert response.status_code == 400, response.content
    assert response.json()["detail"]


def test_a_form_that_breaks_off_is_not_taken_for_the_whole(client: Client) -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + LOG
    assert post(client, body, "multipart/form-data; boundary=b").status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        "{", "[]", "1", "null", "{}", '{"text": 1}', '{"text": ""}', '{"text": "x", "name": 1}',
        '{"text": "x", "url": "y"}', "[" * 100_000, '{"text": "a\x00"',
        '\ufeff{"text": "x"}', '{"text": "x"} {"text": "y"}',
    ],
)  # fmt: skip
def test_json_that_is_no_log_is_refused(client: Client, body: str) -> None:
    response = post(client, body, "application/json")
    assert response.status_code == 400, response.content
    assert response.json()["detail"]


def test_json_of_half_characters_and_nuls_is_read(client: Client) -> None:
    sent = json.dumps({"text": "\x00" + FAILED, "name": "a\x00\n<b>\u202e" + "é" * 500})
    found = post(client, sent, "application/json").json()
    name = found["lines"][0]["file"]
    assert name.startswith("a\ufffd\ufffd<b>")
    assert len(name) == 200


def test_more_json_than_fits_is_told_how_to_come(client: Client) -> None:
    response = post(client, json.dumps({"text": "x" * (17 * MIB)}), "application/json")
    assert response.status_code == 413
    assert "text/plain" in response.json()["detail"]


@pytest.mark.parametrize(
    "name", ["a\nb.log", "<img src=x onerror=alert(1)>.log", "../../etc/passwd", "\u202egol", "a" * 5_000]
)
def test_a_file_may_be_called_anything(client: Client, name: str) -> None:
    response = client.post(ADDRESS, {"file": uploaded(LOG, name)})
    assert response.status_code == 200
    shown = response.json()["lines"][0]["file"]
    assert len(shown) <= 200
    assert not set(shown) & set("\n\u202e")
    assert ".." not in shown


@pytest.mark.parametrize("length", ["", "x", "-5", "9" * 30])
def test_a_length_that_is_none_does_no_harm(client: Client, length: str) -> None:
    response = post(client, LOG, "text/plain", CONTENT_LENGTH=length)
    assert response.status_code in (400, 413)


def test_a_form_without_a_length_is_asked_for_one(client: Client) -> None:
    response = post(client, LOG, "multipart/form-data; boundary=b", CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")
    assert response.status_code == 411


def full_disk(max_size: int) -> Any:
    return Path("/dev/full").open("r+b")


def test_without_room_for_it_somebody_is_asked_to_come_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", full_disk)
    for content in (LOG, LOG * 9_000):
        for response in (client.post(ADDRESS, {"file": uploaded(content)}), post(client, content)):
            assert response.status_code == 429
            assert response.headers["Retry-After"] == "60"
            assert "no room" in response.json()["detail"]


def zipped(method: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("a.log", LOG)
        archive.writestr("logs/b.log.gz", gzip.compress(LOG))
    return content.getvalue()


WHOLE = (
    LOG, gzip.compress(LOG * 9), bz2.compress(LOG), lzma.compress(LOG), as_tar({"a/b.log": LOG, "c.log": LOG}),
    zipped(zipfile.ZIP_DEFLATED), zipped(zipfile.ZIP_BZIP2), zipped(zipfile.ZIP_LZMA), links(), strange_names(),
    FAILED.encode("utf-16"), pickle.dumps({"version": "2.5", "entries": [{"record_id": 1}], "pg_config": {}}, 2),
    json.dumps({"version": "2.5", "entries": [{"record_id": 1}], "pg_config": {}, "pg_status": {}}).encode(),
)  # fmt: skip
EDITS = strategies.lists(
    strategies.tuples(strategies.integers(0, 6_000), strategies.integers(0, 40), strategies.binary(max_size=30)),
    max_size=6,
)


def edited(whole: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, size, put in edits:
        place %= len(whole) + 1
        whole = whole[:place] + put + whole[place + size :]
    return whole


@given(
    text=strategies.text(strategies.characters(exclude_categories=()), max_size=300),
    name=strategies.binary(max_size=60),
)
@bounded
def test_no_text_and_no_name_is_a_fault_of_ours(text: str, name: bytes) -> None:
    client = Client()
    sent = post(client, json.dumps({"text": text, "name": text}), "application/json")
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="' + name + b'"\r\n\r\n'
    form = post(client, head + LOG + b"\r\n--b--\r\n", "multipart/form-data; boundary=b")
    for response in (sent, form):
        assert response.status_code in (200, 400), response.content
        assert isinstance(json.loads(response.content), dict)


@pytest.mark.parametrize("media_type", [RAW, "application/json", "multipart/form-data; boundary=b"])
def test_no_bytes_at_all_are_a_fault_of_ours(client: Client, media_type: str) -> None:
    @given(
        content=strategies.one_of(
            strategies.binary(max_size=2_000),
            strategies.builds(edited, strategies.sampled_from(WHOLE), EDITS),
            strategies.text(max_size=500).map(lambda text: text.encode("utf-8", "replace")),
        )
    )
    @bounded
    def ask(content: bytes) -> None:
        if media_type.startswith("multipart"):
            content = (
                b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + content + b"\r\n--b--"
            )
        response = post(client, content, media_type)
        assert response.status_code in (200, 400), (response.status_code, response.content)
        json.loads(response.content)

    ask()
