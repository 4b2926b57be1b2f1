"""Git histories as plain values: the only place that runs git. It knows no tables."""
