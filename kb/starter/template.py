"""The template of a new record, with a comment beside every key: a short one, or one with all keys.

What mirror and git history know is filled in; words are the writer's own, so no title is.
"""

import datetime as dt
from collections.abc import Iterator

from kb.core.frameworks import framework_of
from kb.selectors.record_facts import KnownFix, RecordFacts
from kb.starter.format import ISSUE_URL

SHORT = """\
url: {url}
{facts}title:                            # the fault in one line of your own words, 15 to 120 characters
summary:                          # two to four sentences: what goes wrong, in which set-up, how it shows
fix_line:                         # what to do now, one sentence with the command, option or version in `backticks`
recognise: []                     # error lines that point to this cause, verbatim, 6 to 160 characters each
# no_line:                        # or why no line does
also_seen: []                     # follow-on errors, exit codes, words that people type, in Chinese too
{affects}labels:                           # codes: /codebook/ or kb/codebook/house.yaml; every label says why
  root_cause: []                  # - {{node: , why: }}; empty when the thread does not settle it
  component:
    - {{node: , why: }}
{fixes}{evidence}read:
  date: {today}
  extent:                         # such as: description and 5 of 12 comments
"""
LONG = """\
url: {url}
{facts}title:                            # the fault in one line of your own words, 15 to 120 characters
summary:                          # two to four sentences: what goes wrong, in which set-up, how it shows
fix_line:                         # what to do now, one sentence with the command, option or version in `backticks`
# snippet: |                      # what to paste, at most 12 lines
recognise: []                     # error lines that point to this cause, verbatim, 6 to 160 characters each
# no_line:                        # or why no line does
also_seen: []                     # follow-on errors, exit codes, words that people type, in Chinese too
resolution: not stated            # what fixed it and since which version
workaround: not stated            # what to do until then
certainty:                        # of cause and fix: confirmed, likely or unsettled
# inferred: [cause]               # claims that no line of evidence states: cause, resolution, workaround, versions
# severity:                       # blocks, wrong-result, data-loss, degrades or cosmetic
# circumstances: {{found_by: user}} # or more of the five facts of docs/circumstances.md
# models: []                      # where the fault needs them
# layout:                         # such as: TP 8, PP 2
{affects}# affects_when: zero_stage == 3   # what else must be true of a set-up: kb/core/setups/vocabulary.yaml
# range_unknown:                  # or why no version can be told
labels:                           # codes: /codebook/ or kb/codebook/house.yaml; every label says why
  issue_type:
    - {{node: bug, why: }}
  symptom:
    - {{node: , why: }}
  root_cause: []                  # empty when the thread does not settle it; a hang is never a cause
  fix_pattern: []
  stage: []
  component:
    - {{node: , why: }}
  hardware: []                    # only where the fault needs it
  theme: []
{fixes}{evidence}same_as: []                       # other threads that this record answers
neighbours: []                    # - {{url: , tell: }}: the same symptom, another cause, and how to tell
related: []
read:
  date: {today}
  extent:                         # such as: description and 5 of 12 comments
"""
NO_AFFECTS = """\
# affects:                        # by: git, package, stated, lines or date, see docs/versions.md
#   - package: deepspeed
#     introduced: {{version: "0.13.0", by: stated, evidence: {url}}}
#     fixed: {{version: "0.13.2", by: git, evidence: https://github.com/OWNER/NAME/pull/1}}
#     reported: ["0.13.1"]
"""
NO_FIXES = "fixes: []                         # - {url: https://github.com/OWNER/NAME/pull/1, what: }\n"
NO_EVIDENCE = (
    "evidence: []                      # a source for each claim: - {url: , supports: cause, by: maintainer}\n"
)


def new_record(
    *, url: str, today: dt.date, public_id: str = "", facts: RecordFacts | None = None, is_long: bool = False
) -> str:
    """The template for an issue's address. Raises `ValueError` for an address of anything else."""
    if not ISSUE_URL.match(url):
        raise ValueError("Give an issue's address, such as https://github.com/OWNER/NAME/issues/123.")
    facts = facts or RecordFacts()
    lines = "".join(f"{line}\n" for line in _fact_lines(url, facts))
    template = LONG if is_long else SHORT
    return (f"id: {public_id}\n" if public_id else "") + template.format(
        url=url,
        today=today.isoformat(),
        facts=lines,
        affects=_affects(facts.fixes) or NO_AFFECTS.format(url=url) * is_long,
        fixes=_fixes(facts.fixes) or NO_FIXES * is_long,
        evidence=_evidence(facts.fixes) or NO_EVIDENCE,
    )


def _fact_lines(url: str, facts: RecordFacts) -> Iterator[str]:
    if not framework_of(url):
        yield "framework:                        # slug, see kb/core/frameworks.yaml"
    values = {"state": facts.state, "opened": facts.opened, "closed": facts.closed, "comments": facts.comments}
    yield from (f"{key}: {value}" for key, value in values.items() if value not in ("", None))


def _affects(fixes: tuple[KnownFix, ...]) -> str:
    """The first release with the last fix of each package: only then is all of it there."""
    last = {fix.package: fix for fix in fixes if fix.first_release}
    lines = (
        f'  - package: {package}\n    fixed: {{version: "{fix.first_release}", by: git, evidence: {fix.url}}}\n'
        for package, fix in last.items()
    )
    return f"affects:\n{''.join(lines)}" if last else ""


def _fixes(fixes: tuple[KnownFix, ...]) -> str:
    lines = []
    for fix in fixes:
        lines.append(f"  - url: {fix.url}\n")
        if fix.merged:
            lines.append(f"    merged: {fix.merged}\n")
        if fix.size:
            lines.append("    additions: {}\n    deletions: {}\n    files: {}\n".format(*fix.size))
        lines.append("    what:                         # what it changes, in your own words\n")
    return f"fixes:\n{''.join(lines)}" if lines else ""


def _evidence(fixes: tuple[KnownFix, ...]) -> str:
    lines = (f'  - {{url: "{fix.url}", supports: resolution, by: fix}}\n' for fix in fixes)
    return f"evidence:\n{''.join(lines)}" if fixes else ""
