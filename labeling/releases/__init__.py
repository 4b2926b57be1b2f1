"""Releases: a project's results frozen into one archive that anybody can cite, check and compare.

`state` reads what there is; `tables`, `codebook`, `method`, `report` write it as files; `archive` packs files into the
same bytes whenever they are the same; `making` is the work of the job; `comparison` reads two archives.
"""
