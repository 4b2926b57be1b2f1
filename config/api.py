"""The settings of the REST API and of its description; `settings.py` takes them over."""

import re
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

RATE = re.compile(r"\d+/[smhd][a-z]*")
DESCRIPTION = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Faultbook API",
    "VERSION": "1.0.0",
    "DESCRIPTION": (
        "What is known about the faults of LLM frameworks: issues with their symptoms, root causes and fixes, the "
        "codebook behind the labels, and what published studies counted; and the diagnosis of logs. Public.\n\n"
        "Within v1 the documented keys keep their names and meanings; new ones may be added, so ignore those you do "
        "not know. What is not stated or not known is null. Times are in UTC, durations in seconds. Every error is "
        "`application/problem+json` (RFC 9457). Every answer but a diagnosis has an ETag: send it back in "
        "`If-None-Match` and an unchanged answer costs 304 and no body. `RateLimit-*` headers tell how much may still "
        "be asked."
    ),
    "LICENSE": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "TAGS": [
        {"name": "about", "description": "What there is."},
        {"name": "search", "description": "Finding issues: fast and short, as the search page does."},
        {"name": "check", "description": "From a set-up to the known faults that affect it, before it runs."},
        {"name": "diagnose", "description": "From the logs of a failed run to the line, the cause and the fix."},
        {"name": "issues", "description": "Reports with their causes, labels, fixes and workarounds."},
        {"name": "fixes", "description": "Pull requests and commits that closed issues."},
        {"name": "frameworks", "description": "Products that people report faults of."},
        {"name": "repositories", "description": "Where their issues live."},
        {"name": "schemes", "description": "The house codebook and the studies' categories."},
        {"name": "nodes", "description": "The answers that a scheme knows, with definitions and rules."},
        {"name": "crosswalks", "description": "How studies' categories relate to the house codebook."},
        {"name": "cause-links", "description": "Which root causes go with a symptom, and how surely."},
        {"name": "studies", "description": "Published data sets and papers."},
        {"name": "sources", "description": "Who holds labels, and how far to trust them."},
        {"name": "signals", "description": "Log lines that a diagnosis knows, with what to do."},
    ],
    "SORT_OPERATION_PARAMETERS": False,
    "PREPROCESSING_HOOKS": ["kb.api.schema.only_public"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "kb.api.schema.allow_fewer_keys",
        "kb.api.schema.declare_for_all",
    ],
    "SERVERS": [{"url": "/", "description": "The site that this description comes from."}],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_NAME_OVERRIDES": {
        "IssueKind": "kb.models.Kind",
        "FixKind": "kb.models.Fix.Kind",
        "SourceKind": "kb.models.Source.Kind",
        "Trust": "kb.models.Trust",
        # Of events on a diagnosis's timeline; a signal's roles are others.
        "RoleEnum": ["first", "root", "follows", "other"],
        "RoundKind": "labeling.models.Round.Kind",
        "RoundRule": "labeling.models.Round.Rule",
        "RoundState": "labeling.models.Round.State",
        "PassKind": "labeling.models.Pass.Kind",
        "ProposalKind": "labeling.models.Proposal.Kind",
        "ProposalRule": "labeling.models.Proposal.Rule",
        "StateEnum": "kb.models.State",
        "DiagnosisState": "kb.models.DiagnosisJob.State",
        "ProposalState": "labeling.models.Proposal.State",
    },
}


# Tokens of the labeling API (docs/decisions/0050-api-tokens.md): by django-rest-knox, on a table of our own.
TOKENS = {
    "KNOX_TOKEN_MODEL": "faultbook_accounts.ApiToken",
    "REST_KNOX": {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_PREFIX": "fbk_"},
    # Its own table stands for nothing here.
    "MIGRATION_MODULES": {"knox": None},
    "LABELING_TOKEN_AUTHENTICATION": "config.accounts.token_authentication.ApiTokenAuthentication",
}


def rest_framework(env: environ.Env, *, proxies: int) -> dict[str, Any]:
    """The settings of Django REST framework: how much may be asked, and through how many proxies people come."""
    rates = {
        "anon": env.str("API_RATE", default="600/min"),
        "diagnosis": env.str("DIAGNOSIS_RATE", default="30/min"),
        "search": env.str("SEARCH_RATE", default="600/min"),
    }
    for limit in filter(None, rates.values()):
        if not RATE.fullmatch(limit):
            raise ImproperlyConfigured(f"“{limit}” is no rate. Write how often in which time, such as 600/min.")
    return {
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "DEFAULT_RENDERER_CLASSES": ["kb.api.rendering.FastJson"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_SCHEMA_CLASS": "kb.api.schema.Schema",
        "DEFAULT_THROTTLE_RATES": rates,
        "EXCEPTION_HANDLER": "kb.api.problems.problem_response",
        # Proxies in front of us that set X-Forwarded-For: without them the header is anybody's word.
        "NUM_PROXIES": proxies,
        "UNAUTHENTICATED_USER": None,
        "URL_FORMAT_OVERRIDE": None,
    }
