"""All pairs of a graph whose distances fit no device: sources in ranges, a process each, and what they come to."""
