"""What the log says of visitors' mistakes."""

import pytest
from django.test import Client, override_settings


@override_settings(ALLOWED_HOSTS=["faults.example.org"])
def test_a_foreign_host_is_one_line_without_a_stack(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert client.get("/about/", headers={"host": "evil.example"}).status_code == 400
    (record,) = [record for record in caplog.records if record.name.startswith("django.security")]
    assert "'evil.example'" in record.getMessage()
    assert record.exc_info is None
