#!/usr/bin/env python3
"""retry.py REPORT NAME COMMAND...: runs each failed test of the part NAME once more by itself, as CI does.

COMMAND is the part's command without a choice of tests. More than three failures are not tried again: they fail the run
in any case. REPORT/retries.jsonl gets both outcomes; report.py decides.
"""
import glob
import json
import os
import re
import sys

import events
import supervise

MOST = 3
SECONDS = 600


def main(report, name, command):
    failed = [(stream, test) for stream in sorted(glob.glob(os.path.join(report, name + "*.jsonl")))
              for test in events.read(stream).values() if test.failed and test.is_function]
    if len(failed) > MOST:
        print(f"{len(failed)} tests of {name} failed: none is run again.")
        return
    for number, (stream, test) in enumerate(failed, 1):
        retry = f"retry-{name}-{number}"
        print(f"\nOnce more by itself: {test.name}", flush=True)
        supervise.main(report, retry, SECONDS, command + choice(stream, test, report, retry))
        with open(os.path.join(report, "retries.jsonl"), "a", encoding="utf-8") as file:
            row = {"part": name, "id": test.id, "name": test.name, "first": test.issues or ["never ended"]}
            file.write(json.dumps(row | second_outcome(report, retry, test)) + "\n")


def choice(stream, test, report, retry):
    """The arguments that choose one test. The conformance program chooses by column and name."""
    if column := re.search(r"/conformance-(\w+)\.jsonl$", stream):
        return ["--columns", column[1], "--filter", test.name, "--event-stream", os.path.join(report, retry)]
    return ["--filter", f"^{re.escape(test.id)}", "--event-stream-output-path", os.path.join(report, retry + ".jsonl")]


def second_outcome(report, retry, test):
    runs = [tests[test.id] for stream in glob.glob(os.path.join(report, retry + "*.jsonl"))
            for tests in [events.read(stream)] if test.id in tests]
    if not runs or any(run.started is None for run in runs):
        return {"passed": False, "second": ["it did not run"]}
    issues = [issue for run in runs for issue in run.issues or (["never ended"] if run.never_ended else [])]
    return {"passed": not issues, "second": issues}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
