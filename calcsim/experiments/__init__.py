"""Studies: what is compared, on which deals, how it is run and kept."""
