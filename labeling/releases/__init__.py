"""Releases: a project's results frozen into one archive that can be cited, checked and compared.

`state` reads the results; `tables`, `dictionary`, `codebook`, `method` and `report` write them as files; `archive`
packs the same files into the same bytes; `build` is the work of the job; `comparison` reads two archives.
"""
