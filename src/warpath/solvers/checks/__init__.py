"""What is checked before a solve, and that no sum left the range of its type."""
