"""Certificates of answers, on the host and on devices."""
