"""What those who send, write down and judge the sign of life agree on; none of the three is here."""

KEY = "heartbeat"
SECONDS = 30
STALE_SECONDS = 4 * SECONDS
