"""Child processes: started as a user, ended by their ids, never by a name."""
import os
import pathlib
import signal
import subprocess
import time


class Failure(Exception):
    """What was expected, what came instead, and what to do."""


def start(command, log, user=None, prefix=(), folder=None, environment=None):
    """Starts a program in a session of its own, with its output in a file. PostgreSQL and Patroni refuse root."""
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user and os.getuid() == 0 else []
    with open(log, "ab") as output:
        return subprocess.Popen(
            [*prefix, *as_user, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
            start_new_session=True, env={**os.environ, **(environment or {})})


def parents():
    """Which process each process of this machine has as its parent."""
    result = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in parentheses, may hold spaces.
                result[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                pass  # it has just ended
    return result


def family(ids):
    """The processes and all that they have started."""
    known, found = parents(), set(ids)
    while True:
        more = {child for child, parent in known.items() if parent in found} - found
        if not more:
            return found
        found |= more


def send(kind, ids):
    """Sends a signal to processes, as far as they still run."""
    for each in ids:
        try:
            os.kill(each, kind)
        except ProcessLookupError:
            pass


def kill(ids):
    """kill -9."""
    send(signal.SIGKILL, ids)


def wait_until(is_so, what, seconds, pause=0.1):
    """Waits until a condition holds; says what did not come in time."""
    end = time.monotonic() + seconds
    while True:
        result = is_so()
        if result:
            return result
        if time.monotonic() > end:
            raise Failure(f"expected {what} within {seconds} s, but it did not come")
        time.sleep(pause)
