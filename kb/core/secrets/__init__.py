"""Hides what people paste by accident: tokens, keys, passwords, e-mail addresses.

What people write is stored as they wrote it, and shown without its secrets. `mask` is called where a mirrored text
leaves the product (docs/decisions/0018): a secret that its owner has not yet withdrawn must not be found here, in the
index or in a file. `tokens` knows what says itself what it is, `assignments` what only the words before it tell,
`addresses` what has an @, `values` what people write in a secret's place, and `masking` takes out what they found.

The names of users in paths, as in /home/ada/train.py, stay. A traceback is read by its paths, the same one stands on
every line of it, and a reader must see that it is the same; whoever reports under a name of their own is named beside
the report anyway, and it opens no door.
"""

from kb.core.secrets.kinds import Kind, Span
from kb.core.secrets.masking import Masked, find, mask, mask_in_place, without_our_words

__all__ = ["Kind", "Masked", "Span", "find", "mask", "mask_in_place", "without_our_words"]
