"""Pages of what comes out of labeling: agreement, progress, publishing, releases, imports and exports, and jobs."""
