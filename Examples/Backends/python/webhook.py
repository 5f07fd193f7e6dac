#!/usr/bin/env python3
"""Receives the store's webhooks and writes entitlements to SQLite, as feed.py does. It needs Python 3.9 alone.

  ONSIDE_WEBHOOK_SECRET=whsec_... ./webhook.py 8000 grants.sqlite     several secrets with spaces: during a rotation
"""
import base64
import contextlib
import hmac
import http.server
import json
import os
import re
import sqlite3
import sys
import time

from feed import SCHEMA, apply

TOLERANCE = 5 * 60  # seconds
LARGEST = 1 << 20  # bytes of a body


def is_genuine(headers, body, secrets, now):
    """Whether one of the secrets has signed these bytes, at most five minutes ago (Standard Webhooks)."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,11}", timestamp) or abs(now - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{id}.{timestamp}.".encode() + body
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, other) for one in expected for other in given)


class Receiver(http.server.BaseHTTPRequestHandler):
    timeout = 30  # seconds for a slow body

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= LARGEST:
            return self.answer(413)
        body = self.rfile.read(length)  # the signed bytes; parsed JSON, written again, has others
        if not is_genuine(self.headers, body, self.server.secrets, time.time()):
            return self.answer(401)
        event = json.loads(body)
        if event["type"] in ("entitlement.changed", "customer.removed"):  # other types need nothing but an answer
            with contextlib.closing(sqlite3.connect(self.server.path, timeout=10)) as database, database:
                apply(database, event)
        self.answer(204)  # after the commit; without this answer the store sends the event again

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.send_header("connection", "close")
        self.end_headers()


def main(port, path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    server.path, server.secrets = path, os.environ["ONSIDE_WEBHOOK_SECRET"].split()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
