#!/usr/bin/env python3
"""supervise.py REPORT NAME SECONDS COMMAND...: runs one part of script/test, which ends in any case.

The part is a session of processes. It is ended when it takes longer than SECONDS, and when its event streams
(REPORT/NAME*.jsonl), if it writes any, tell of no test for ten minutes. The time limit of a suite ends a test that
waits; this ends a process whose test ignores its time limit. REPORT/parts.jsonl gets the time and the status.
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time

import events

STALL = int(os.environ.get("ONSIDE_TEST_STALL", "600"))


def main(report, name, limit, command):
    began = time.monotonic()
    process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL)
    streams = os.path.join(report, name + "*.jsonl")
    reason = None
    try:
        reason = wait(process, streams, limit)
        if reason:
            explain(reason, streams, process, os.path.join(report, name + ".backtraces"))
    finally:
        end(process)
    seconds = time.monotonic() - began
    status = 124 if reason else process.returncode
    with open(os.path.join(report, "parts.jsonl"), "a", encoding="utf-8") as parts:
        parts.write(json.dumps({"part": name, "seconds": seconds, "status": status, "reason": reason}) + "\n")
    return status if status >= 0 else 128 - status


def wait(process, streams, limit):
    """Returns None at the process's end, else why it has to be ended."""
    began = changed = time.monotonic()
    size = 0
    while process.poll() is None:
        time.sleep(0.1)
        now, written = time.monotonic(), sum(os.path.getsize(path) for path in glob.glob(streams))
        if written != size:
            size, changed = written, now
        if now - began > limit:
            return f"not done after {limit} s"
        if size > 0 and now - changed > STALL:
            return f"no test began or ended for {STALL} s"
    return None


def explain(reason, streams, process, path):
    print(f"\nNEVER ENDED: {reason}", flush=True)
    for stream in glob.glob(streams):
        for test in events.read(stream).values():
            if test.never_ended and test.is_function:
                print(f"  still running: {test.name} ({test.id})", flush=True)
    with open(path, "w", encoding="utf-8") as file:
        for pid in session(process.pid):
            write_backtraces(pid, file)
    print(f"  backtraces: {path}", flush=True)


def write_backtraces(pid, file):
    """What every thread of a test process does, by gdb."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        if program.endswith((".xctest", "onside-conformance")):
            file.write(f"== {program}\n")
            file.flush()
            command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 30"]
            subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        file.write(f"no backtraces of {pid}: {error}\n")


def session(leader):
    """The processes of a session."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(entry)) == leader:
                yield int(entry)
        except OSError:
            pass  # it ended meanwhile


def end(process):
    """Ends what is left of the session: politely, after ten seconds by force."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 10
        left = True
        for pid in session(process.pid):
            try:
                os.kill(pid, kind)
            except OSError:
                pass
        while left and time.monotonic() < deadline:
            process.poll()
            left = any(not is_zombie(pid) for pid in session(process.pid))
            time.sleep(0.05 if left else 0)
        if not left:
            break
    process.wait()


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


if __name__ == "__main__":
    # script/test ends its parts when it is ended itself.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
