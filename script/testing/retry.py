#!/usr/bin/env python3
"""retry.py REPORT NAME COMMAND...: runs each failed test of the part NAME once more by itself.

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


def main(report, name, command):
    # An issue of a suite or outside of every test cannot be run again by itself: it fails the run.
    failed = [(stream, test) for stream in sorted(glob.glob(os.path.join(report, name + "*.jsonl")))
              for test in events.read(stream).tests.values() if test.failed and test.is_function]
    if len(failed) > MOST:
        print(f"{len(failed)} tests of {name} failed: none is run again.")
        return
    for number, (stream, test) in enumerate(failed, 1):
        retry = f"retry-{name}-{number}"
        print(f"\nOnce more by itself: {test.name}", flush=True)
        again = command + choice(stream, test, report, retry)
        status = supervise.main(report, retry, supervise.LONGEST_TEST, again)
        with open(os.path.join(report, "retries.jsonl"), "a", encoding="utf-8") as file:
            row = {"part": name, "id": test.id, "name": test.name, "first": test.issues or ["never ended"]}
            file.write(json.dumps(row | second_outcome(status, events.expected(again), test.id)) + "\n")


def choice(stream, test, report, retry):
    """The arguments that choose one test. The conformance program chooses by column and name."""
    if column := re.search(r"/(?:conformance|column_p|columns_ls)-(\w+)\.jsonl$", stream):
        return ["--columns", column[1], "--filter", test.name, "--event-stream", os.path.join(report, retry)]
    return ["--filter", f"^{re.escape(test.id)}", "--event-stream-output-path", os.path.join(report, retry + ".jsonl")]


def second_outcome(status, paths, test_id):
    """Whether the test ran, and its process reported no issue."""
    streams = [events.read(path) for path in paths]
    wrong = [] if any(test_id in stream.tests and stream.tests[test_id].started is not None for stream in streams) \
        else ["it did not run"]
    for stream in streams:
        for test in stream.tests.values():
            wrong += test.issues or (["never ended"] if test.never_ended and test.is_function else [])
        if not stream.ended:
            wrong.append("its run has no end")
    if status != 0:
        wrong.append(f"its process ended with status {status}")
    return {"passed": not wrong, "second": wrong}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
