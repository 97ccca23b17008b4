"""All pairs in parts: each process solves a range of the sources, and writes statistics and, optionally, all rows."""
