"""The problem of Telang's work: two matrices, the path over their product, and its certificate."""
