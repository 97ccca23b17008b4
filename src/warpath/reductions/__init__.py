"""What remains of rows of distances: eccentricities, sums, histograms, nearest vertices; found where the rows are."""
