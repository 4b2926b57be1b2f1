"""Everything that labeling reads. Whose votes somebody may see is decided in `visible`, and nowhere else."""
