"""Label correcting: vertices whose distance fell wait to be relaxed, until none does."""
