"""What every importer needs to write: runs, their rejections, and the lock that keeps importers apart."""
