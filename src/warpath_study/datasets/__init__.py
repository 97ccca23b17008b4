"""The graphs of the study: catalog, downloads, generators, and conversion into .npz files."""
