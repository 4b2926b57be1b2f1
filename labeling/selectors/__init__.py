"""Everything that labeling reads. Whose votes a member may see is decided in `visible`, and nowhere else."""
