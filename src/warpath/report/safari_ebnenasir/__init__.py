"""Tables, figures and claims of M. Safari and A. Ebneenasir, "Locality-Based Relaxation", 2017."""
