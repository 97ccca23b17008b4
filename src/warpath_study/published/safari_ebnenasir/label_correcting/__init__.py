"""Label correcting from one source, as published, and the tuning that goes with it."""
