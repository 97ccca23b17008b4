"""The library's functions: one source or several, all pairs, closures, and the certificate of anyone's answer."""
