"""A running service, as a process of its own that can be asked and killed."""

import http.client
import json
import re
import subprocess
import sys
from contextlib import contextmanager

from tests.helpers.environment import with_tests

JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


class RunningService:
    def __init__(self, process, port):
        self.process, self.port, self.url = process, port, f"http://127.0.0.1:{port}"

    def ask(self, method, path, body=None, headers=JSON):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request(method, path, body, dict(headers))
            found = link.getresponse()
            return found.status, found.headers, found.read()
        finally:
            link.close()

    def post(self, path, value, headers=JSON):
        status, _, body = self.ask("POST", path, json.dumps(value), headers)
        return status, json.loads(body)

    def get(self, path, headers=()):
        status, _, body = self.ask("GET", path, None, dict(headers))
        return status, body


def command(folder, *words):
    start = [sys.executable, "-m", "novikoff", "serve", "--journal", str(folder), "--port", "0"]
    return [*start, *map(str, words)]


@contextmanager
def served(folder, *words):
    process = subprocess.Popen(
        command(folder, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=with_tests()
    )
    try:
        line = process.stdout.readline().decode()
        found = re.search(r"https?://127.0.0.1:(\d+)/", line)
        assert found, line + process.stderr.read().decode()
        yield RunningService(process, int(found[1]))
    finally:
        process.kill()
        process.communicate()
