"""What remains of rows of distances: eccentricities, sums, histograms, nearest vertices; computed where the rows are."""
