"""Label correcting from one source: vertices whose distance fell are relaxed again, until no distance falls."""
