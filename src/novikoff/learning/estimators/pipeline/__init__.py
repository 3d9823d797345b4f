"""Fitted pipelines of scikit-learn's in files."""
