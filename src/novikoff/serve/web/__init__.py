"""The service over HTTP: messages, routes, access, metrics, the live page."""
