"""Asks this container's own /healthz, for Docker's HEALTHCHECK: exit code 0 when it answers.

Imports the standard library only, since it runs every half minute.
"""

import http.client
import os
import sys


def main() -> int:
    """Ask once, under a host name that ALLOWED_HOSTS lets in."""
    allowed = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip()
    host = "localhost" if allowed in ("", "*") else allowed.removeprefix(".")
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("GRANIAN_PORT", "8000")), timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return 0 if connection.getresponse().status == http.HTTPStatus.OK else 1
    except (OSError, http.client.HTTPException):
        return 1
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
