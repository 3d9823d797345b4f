"""`novikoff predict`."""

from novikoff.cli.predict.command import predict

__all__ = ["predict"]
