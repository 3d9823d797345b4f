"""Formulas of models, and the designs that they make of frames."""
