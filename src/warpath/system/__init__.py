"""What the library needs of the machine: files, locks, threads, progress, the driver."""
