"""Tables, figures and claims of M. Safari and A. Ebnenasir, "Locality-Based Relaxation", 2017."""
