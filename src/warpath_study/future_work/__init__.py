"""What published works propose and do not measure, tried by us."""
