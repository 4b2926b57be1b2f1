"""The web process as it is served: it must know where the workers listen."""

import os
import subprocess
import sys

ASK = """
import threading
import config.wsgi
from labeling.tasks import run_job
asked = threading.Thread(target=lambda: print(run_job.app.conf.broker_url))
asked.start()
asked.join()
"""


def test_what_a_request_sends_goes_to_the_broker_of_the_settings() -> None:
    # In a process of its own: elsewhere in the tests the Celery app may have been imported already.
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == os.environ["REDIS_URL"]
