"""Statistics of rows of distances, computed on the device: eccentricities, sums, histograms, nearest vertices."""
