"""The version of the package: what `novikoff --version` says, and pages that were written."""

__version__ = "0.1.0"
