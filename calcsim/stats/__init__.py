"""Figures of many games as integer sums, and the intervals that go with them."""
