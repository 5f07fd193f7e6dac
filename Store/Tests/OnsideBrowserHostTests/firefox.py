"""Opens a page in Firefox without a window, runs a function's body in it, and prints what it returns as JSON.

Usage: firefox.py FIREFOX ADDRESS < BODY
Marionette is Firefox's own protocol: messages are JSON with their length before them.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time


def connect(profile, firefox):
    """Firefox listens on a port that it picks, and writes it into its profile."""
    path = os.path.join(profile, "MarionetteActivePort")
    while not os.path.exists(path) or not os.path.getsize(path):
        if firefox.poll() is not None:
            raise SystemExit(f"Firefox ended with {firefox.returncode}")
        time.sleep(0.1)
    with open(path) as file:
        return socket.create_connection(("127.0.0.1", int(file.read())))


def receive(stream):
    length = b""
    while (byte := stream.read(1)) != b":":
        if not byte:
            raise SystemExit("Firefox hung up")
        length += byte
    return json.loads(stream.read(int(length)))


def call(connection, stream, command, parameters):
    message = json.dumps([0, 1, command, parameters]).encode()
    connection.sendall(b"%d:%s" % (len(message), message))
    _, _, error, result = receive(stream)
    if error:
        raise SystemExit(f"{command}: {error['error']}: {error['message']}")
    return result


def main():
    program, address = sys.argv[1:]
    body = sys.stdin.read()
    with tempfile.TemporaryDirectory() as profile:
        with open(os.path.join(profile, "user.js"), "w") as file:
            file.write('user_pref("marionette.port", 0);\n')
        firefox = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", profile],
            env={**os.environ, "HOME": profile}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            connection = connect(profile, firefox)
            stream = connection.makefile("rb")
            receive(stream)
            call(connection, stream, "WebDriver:NewSession", {"timeouts": {"script": 300_000}})
            call(connection, stream, "WebDriver:Navigate", {"url": address})
            # In the page's own world: what it runs is the page's.
            script = f"const done = arguments[0]; (async () => {{ {body} }})().then(done, (e) => done({{ error: String(e) }}));"
            answer = call(connection, stream, "WebDriver:ExecuteAsyncScript", {"script": script, "args": [], "sandbox": None})
            print(json.dumps(answer["value"]))
        finally:
            firefox.kill()
            firefox.wait()


main()
