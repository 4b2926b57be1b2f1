"""From files as people have them (plain, compressed, in archives, broken) to blocks of text lines."""
