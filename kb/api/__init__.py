"""REST API v1: read-only, public. The contract is `tests/contracts/openapi.yaml`; see docs/api.md for the promise."""
