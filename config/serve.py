"""`python -m config.serve`: the web server with our settings, the same by hand, in `make up` and in the image.

granian serves; its own `GRANIAN_*` variables and options go before ours.
"""

import argparse
import errno
import os
import socket
import sys
import tempfile
from pathlib import Path

DEFAULTS = {
    "GRANIAN_INTERFACE": "asgi",
    "GRANIAN_HOST": "127.0.0.1",
    "GRANIAN_PORT": "8000",
    "GRANIAN_WEBSOCKETS": "false",
    "GRANIAN_WORKERS": "2",
    # Connections that are open at a time, idle ones too; what is done at a time is the front's to say.
    "GRANIAN_BACKLOG": "2048",
    "GRANIAN_BACKPRESSURE": "2048",
    "GRANIAN_HTTP1_HEADER_READ_TIMEOUT": "10000",
    "GRANIAN_RESPAWN_FAILED_WORKERS": "true",
    # A worker that is asked to stop before it has started hears nothing, and would be waited for without end.
    "GRANIAN_WORKERS_KILL_TIMEOUT": "10",
    "GRANIAN_LOG_CONFIG": str(Path(__file__).with_name("granian_logs.json")),
}


def main() -> None:
    """Serve until somebody asks to stop; ends with a word at once where the port is taken."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--host", default=os.environ["GRANIAN_HOST"])
    options.add_argument("--port", type=int, default=int(os.environ["GRANIAN_PORT"]))
    address, _ = options.parse_known_args()
    refuse_taken(address.host, address.port)
    from granian.cli import entrypoint  # The variables have to be set first.

    sys.argv = ["config.serve", *sys.argv[1:], "config.asgi:application"]
    with tempfile.TemporaryDirectory(prefix="faultbook-numbers-") as folder:
        # The web processes share what they count there (kb.health.numbers).
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        entrypoint()


def refuse_taken(host: str, port: int) -> None:
    """End where somebody listens on the port: granian would share it, and an old version would go on answering."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # Lets a port be taken again that was used a moment ago, not one on which somebody listens.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            sys.exit(f"Port {port} of {host} is in use. Stop what listens there, or set GRANIAN_PORT to another one.")


if __name__ == "__main__":
    main()
