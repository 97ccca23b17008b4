"""Where a measurement comes from: the identity of its code, and its machine, software and commit."""
