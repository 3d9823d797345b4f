"""The lab's web server."""
