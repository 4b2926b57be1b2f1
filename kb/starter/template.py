"""The template of a new record, with a comment beside every key."""

import datetime as dt

from kb.core.frameworks import framework_of
from kb.starter.format import ISSUE_URL

TEMPLATE = """\
url: {url}
framework: {framework}            # slug, see kb/core/frameworks.yaml
title:                            # the fault in one line of your own words, 15 to 120 characters
summary:                          # two to four sentences: what goes wrong, in which set-up, how it shows
recognise: []                     # short error lines, verbatim, 6 to 160 characters each, with words of this fault
resolution: not stated            # what fixed it and since which version
workaround: not stated            # what to do until then
state: unknown                    # open, closed or unknown
# opened: 2024-01-31              # leave out what you did not see
# closed: 2024-02-29
# comments: 12
# affects:                        # by: git, package, stated, lines or date, see docs/versions.md
#   - package: deepspeed
#     introduced: {{version: "0.13.0", by: stated, evidence: {url}}}
#     fixed: {{version: "0.13.2", by: git, evidence: https://github.com/OWNER/NAME/pull/1}}
#     reported: ["0.13.1"]
# affects_when: zero_stage == 3   # what else must be true of a set-up: kb/core/setups/vocabulary.yaml
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
  theme: []
fixes: []                         # - {{url: https://github.com/OWNER/NAME/pull/1, what: }}
evidence: []                      # at least one beside a fix: - {{url: {url}, supports: cause, by: maintainer}}
related: []
read:
  date: {today}
  extent:                         # such as: description and 5 of 12 comments
"""


def new_record(*, url: str, today: dt.date) -> str:
    """The template for an issue's address. Raises `ValueError` for an address of anything else."""
    if not ISSUE_URL.match(url):
        raise ValueError("Give an issue's address, such as https://github.com/OWNER/NAME/issues/123.")
    return TEMPLATE.format(url=url, framework=framework_of(url), today=today.isoformat())
