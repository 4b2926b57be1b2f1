"""Phrases that no reader should meet, each with what to write instead: docs/wording.md explains the kinds."""

import re

PHRASES: dict[str, str] = {
    # Words of another trade, or of another century
    r"\bmend(s|ed|ing)?\b": "fix, correct, repair",
    r"\bcommonest\b": "most common",
    r"\banew\b": "again",
    r"\bonce more\b": "again",
    r"\bbeware\b": "caution, watch out for",
    r"\bin vain\b": "without effect",
    r"\bof course\b": "(leave it out)",
    r"\bsat out\b": "waited for",
    r"\bwished for\b": "requested",
    r"\btill\b": "until",
    r"\b(hence|thereof|therein|whereby|wherein)\b": "so, of it, in it",
    r"\b(is|are|was|were) lacking\b": "is missing",
    r"\bput together\b": "combine, assemble",
    # Phrases that say nothing
    r"\bwithout a word\b": "silently, without output",
    r"\b(told|tells?|telling) apart\b": "distinguish",
    r"\bleft to chance\b": "random, a random sample",
    r"\btells? of\b": "report, show",
    r"\bsaid to be\b": "marked as",
    r"\bthe like\b": "similar ones",
    r"\btakes? it along\b": "export",
    r"\b(take|takes|taken|taking) (it|them|that|this) away\b": "remove",
    r"\baway with it\b": "clean up, delete",
    r"\bcame with it\b": "follow-on errors",
    r"\bby itself says nothing\b": "is not evidence",
    r"\b(go|goes|going|went) on\b(?! to)": "continue",
    r"\bwhat (stands|stood)\b": "what is",
    r"\bstands? (below|above|beside|behind|in the way)\b": "is below, blocks",
    r"\b(is|are|was|were) said\b": "we state, the page states",
    r"\bwhoever\b": "anyone who, the person who",
    # Pronouns where a noun belongs
    r"\bwhat (is|was) behind\b": "cause",
    r"\bbehind what\b": "causes of",
    r"\bnarrow what\b": "filter",
    r"\bwhose (categories|words|numbers)\b": "codebook, source",
    r"\bwhom\b": "who, or turn the sentence round",
    r"\bsuch (a |an )?ones?\b": "these, those",
    r"\b(how|what) such \w+": "how these ..., or the noun alone",
    r"\bso (many|much) (were|was|are|is|looks|answers)\b": "this many, or the number",
    r"\bis (there|it) (nothing|something) to\b": "nothing to ...",
    # The trade has a word for it
    r"\bpermission to run it\b": "execute permission",
    r"\bprocess that prepares batches\b": "DataLoader worker",
    r"\bmemory that was asked for\b": "out of memory",
    r"\bwent no further\b": "hung",
}
BANNED = {re.compile(phrase, re.IGNORECASE): better for phrase, better in PHRASES.items()}
