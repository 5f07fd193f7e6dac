#!/usr/bin/env python3
"""supervise.py REPORT NAME SECONDS COMMAND...: runs one part of script/test, which ends in any case.

The part is a session of processes. It is ended when it takes longer than SECONDS, when script/test ends before it, and,
if it is a suite, when its event streams report no test for 21 minutes. The time limit of a suite ends a test that
waits; this ends a process whose test ignores its time limit. REPORT/parts.jsonl gets a row when the part begins and
one, with the time, the processor time and the status, when it ended; what the part prints goes to REPORT/NAME.out as
well. Processor time of servers that leave the part's processes (PostgreSQL) is not counted.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import events

# Longer than the longest time limit of a suite, 20 minutes, which has to expire first: it names the test.
LONGEST_TEST = 1260
# Seconds without an event before a suite is ended. The part's limit in script/test applies as well.
STALL = int(os.environ.get("ONSIDE_TEST_STALL", str(LONGEST_TEST)))
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# A different parent process later means that script/test died.
PARENT = os.getppid()


def main(report, name, limit, command):
    began = time.monotonic()
    heed_signals()
    streams = events.expected(command)
    process = status = reason = None
    try:
        # First, so that report.py notices a missing end row if this process dies.
        write_row(report, {"part": name, "streams": [os.path.basename(path) for path in streams]})
        process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        copy = copy_output(process.stdout, os.path.join(report, name + ".out"))
        reason = wait(process, streams, limit)
        # After the end of script/test no backtraces are needed.
        if reason and os.getppid() == PARENT:
            explain(reason, streams, process, os.path.join(report, name + ".backtraces"))
    except BaseException as error:
        reason = f"{reason or 'its supervisor was ended'}: {error!r}"
        raise
    finally:
        try:
            if process:
                ignore_signals()  # one more would leave processes behind
                end(process)
                copy.join(10)  # a process that left the session may hold the pipe
                status = 124 if reason else process.returncode
        finally:
            seconds = time.monotonic() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            write_row(report, {"part": name, "seconds": seconds, "processor_seconds": used.ru_utime + used.ru_stime,
                               "status": status, "reason": reason})
    return status if status >= 0 else 128 - status


def copy_output(pipe, path):
    """Prints the part's output and writes it to a file, from which report.py shows the end of a part that broke."""
    def run():
        with open(path, "wb") as file:
            targets = [file, sys.stdout.buffer]
            for line in pipe:
                for target in list(targets):
                    try:
                        target.write(line)
                        target.flush()
                    except OSError:  # the part must not wait for a full disk or a closed terminal
                        targets.remove(target)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def heed_signals():
    """script/test ends its parts when it is ended itself."""
    for kind in SIGNALS:
        if signal.getsignal(kind) != signal.SIG_IGN:  # as nohup has it
            signal.signal(kind, stop)


def stop(number, _):
    ignore_signals()
    sys.exit(128 + number)


def ignore_signals():
    for kind in SIGNALS:
        signal.signal(kind, signal.SIG_IGN)


def write_row(report, row):
    with open(os.path.join(report, "parts.jsonl"), "a", encoding="utf-8") as parts:
        parts.write(json.dumps(row) + "\n")


def wait(process, streams, limit):
    """Returns None at the process's end, else why it has to be ended."""
    began = changed = time.monotonic()
    size = 0
    while process.poll() is None:
        time.sleep(0.1)
        now, written = time.monotonic(), sum(os.path.getsize(path) for path in streams if os.path.exists(path))
        if written != size:
            size, changed = written, now
        if os.getppid() != PARENT:
            return "script/test ended before it"
        if now - began > limit:
            return f"not done after {limit} s"
        if streams and now - changed > STALL:
            return f"no test began or ended for {STALL} s"
    return None


def explain(reason, streams, process, path):
    print(f"\nNEVER ENDED: {reason}", flush=True)
    for stream in streams:
        running = [test for test in events.read(stream).tests.values() if test.never_ended and test.is_function]
        shown, others = events.at_work(running)
        for test in shown:
            print(f"  still running: {test.name} ({test.id})", flush=True)
        if others:
            print(f"  and {others} that may only have waited for their turn", flush=True)
    with open(path, "w", encoding="utf-8") as file:
        for pid in session(process.pid):
            write_backtraces(pid, file)
    print(f"  backtraces: {path}", flush=True)


def write_backtraces(pid, file):
    """Writes the backtraces of all threads of a test process, by gdb."""
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
    """Ends the remaining processes of the session: by SIGTERM, after ten seconds by SIGKILL."""
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
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
