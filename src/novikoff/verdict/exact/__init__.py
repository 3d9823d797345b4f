"""Exact arithmetic on signed rows: products, ranks, linear systems, directed rounding."""
