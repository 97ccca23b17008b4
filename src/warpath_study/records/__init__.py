"""Record files: reading, writing, and what contradicts itself in them."""
