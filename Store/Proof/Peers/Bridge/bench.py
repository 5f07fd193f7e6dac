"""Measures window.onside beside a raw WebKit message handler, pywebview and QWebChannel; see docs/performance.md.

Usage: bench.py PROGRAM STOREKIT-FILE ROUNDS PYTHON-WITH-PYWEBVIEW
       bench.py PROGRAM STOREKIT-FILE memory        whether memory is flat
"""
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

FOLDER = os.path.dirname(os.path.abspath(__file__))
results = queue.Queue()


class Pages(SimpleHTTPRequestHandler):
    """The pages, isolated from other origins: only then do clocks in pages step finely."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=FOLDER)

    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_POST(self):
        results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def peer(command, address):
    """One round of a peer in a process of its own."""
    process = subprocess.Popen([*command, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        result = results.get(timeout=180)
    finally:
        process.kill()
        process.wait()
    if "error" in result:
        raise SystemExit(f"{command[-1]}: {result['error']}")
    return result


def ours(program, address, file):
    """One round of ours and of the raw handler, by turns in one view."""
    output = subprocess.run([program, address, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    if output.returncode != 0:
        raise SystemExit(f"{program} ended with {output.returncode}")
    return json.loads(output.stdout)


def spread(values, digits=0):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:,.{digits}f} ({low:,.{digits}f} – {high:,.{digits}f})"


def row(name, rounds):
    cells = [spread([r[key] for r in rounds]) for key in ("mean", "p50", "p99", "callsPerSecond")]
    print(f"| {name} | " + " | ".join(cells) + " |")


def verdict(name, values, bar, is_met, digits=2):
    met = is_met(statistics.median(values))
    print(f"{'met ' if met else 'MISSED'}  {name}: {spread(values, digits)}, bar {bar}")
    return met


def main():
    program, file = sys.argv[1], sys.argv[2]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    if sys.argv[3] == "memory":
        sys.exit(subprocess.run([program, address, file, "memory"], stderr=subprocess.DEVNULL).returncode)
    own, web, qt = [], [], []
    rounds, python = int(sys.argv[3]), sys.argv[4]
    for _ in range(rounds):
        own.append(ours(program, address, file))
        web.append(peer([python, f"{FOLDER}/pywebview_app.py"], f"{address}/page.html?side=pywebview"))
        qt.append(peer(["/usr/bin/python3", f"{FOLDER}/qwebchannel_app.py"], f"{address}/page.html?side=qwebchannel"))
    report(own, web, qt)


def report(own, web, qt):
    raw, onside = [r["calls"][0] for r in own], [r["calls"][1] for r in own]
    print("| `getCurrentStorefront()` | µs a call, one by one | p50 | p99 | calls/s, 1,000 in flight |")
    print("|---|---|---|---|---|")
    row("window.onside", onside)
    row("raw reply handler, empty string", raw)
    row("QWebChannel (PyQt5)", qt)
    row("pywebview", web)
    print()
    met = [
        verdict("one by one, ours to raw", [o["mean"] / r["mean"] for o, r in zip(onside, raw)],
                "at most 1.25", lambda x: x <= 1.25),
        verdict("in flight, ours to raw", [o["callsPerSecond"] / r["callsPerSecond"] for o, r in zip(onside, raw)],
                "at least 3", lambda x: x >= 3, 1),
        verdict("getTransactions() of 1,000, ms", [r["transactions"] for r in own], "under 15", lambda x: x < 15, 1),
        verdict("the first of a page, ms", [r["ofPage"] for r in own], "under 15", lambda x: x < 15, 1),
        verdict("added to a page load, ms", [r["load"]["with"] - r["load"]["without"] for r in own], "under 5",
                lambda x: x < 5, 1),
    ]
    print(f"no bar  the first of a new web process, ms: {spread([r['first'] for r in own], 1)}")
    sys.exit(0 if all(met) else 1)


main()
