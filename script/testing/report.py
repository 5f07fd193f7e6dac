#!/usr/bin/env python3
"""report.py REPORT FLAKY MODE [ARGUMENT...]: the end of script/test in a mode (whole, quick or filtered) with these
arguments for `swift test`. Prints failed tests, tests that never ended, flaky and skipped tests, skipped parts, the slowest
tests and the time of each part; records the parts that passed; exits 1 when the run failed.
report.py --steps REPORT PART...: prints the time of these parts only, and records those that passed.

A test that failed and then passed by itself is flaky. Up to three flaky tests do not fail a run; in CI, a whole run writes
them to the file FLAKY, which the next run shows.
"""
import collections
import json
import os
import re
import sys

import events
import record

MOST_FLAKY = 3
SLOWEST = 10
# Of the output of a part that broke.
LAST_LINES = 24
LONGEST_LINE = 160
# The suites of each mode, in which a suite without tests fails the run.
WHOLE = ("root", "hard", "store", "programs", "postgres", "column_p", "conformance")
SUITES = {"whole": WHOLE, "quick": ("root", "store", "columns_ls"), "filtered": ()}
# The parts that run the cases of conformance, in different columns.
COLUMN_PARTS = ("conformance", "column_p", "columns_ls")


def main(report, flaky_file, mode, chosen, in_ci):
    parts = read_parts(report)
    skipped = record.skipped_parts(report)
    streams = [(row["part"], events.read(os.path.join(report, path))) for row in parts
               if not row["part"].startswith("retry-") for path in row["streams"]]
    tests = [(part, test) for part, stream in streams for test in stream.tests.values()]
    ran = [(part, test) for part, test in tests if test.ran]
    # A case can fail in several columns: one second try that fails is enough.
    retries = {(row["part"], row["id"]): row for row in sorted(rows(report, "retries.jsonl"), key=lambda row: -row["passed"])}
    failed = [(part, test) for part, test in ran if test.failed]
    flaky = [retries[part, test.id] for part, test in failed if retries.get((part, test.id), {}).get("passed")]
    lasting = [(part, test) for part, test in failed if not retries.get((part, test.id), {}).get("passed")]
    print_failures(lasting, retries)
    print_flaky(flaky)
    lost = print_skips(tests, tests_of(report, skipped), in_ci)
    print_slowest(ran)
    print_times(parts)
    print_skipped_parts(skipped)
    broken = print_broken(report, parts, ran, mode, chosen, skipped)
    if not ran and not skipped:
        print("NO TESTS: no suite ran any.")
        broken.append("all")
    excluded = set(broken) | {part for part, _ in failed + lost}
    record.save(report, [row for row in passed_parts(parts) if row["part"] not in excluded])
    print(f"\n{len(ran) - len(lasting) + harness_tests(report, parts)} passed, {len(lasting)} failed")
    if in_ci and mode == "whole" and "conformance" in {row["part"] for row in parts} | set(skipped):
        write_flaky(flaky, flaky_file)
    return 1 if lasting or broken or (in_ci and lost) or len(flaky) > MOST_FLAKY else 0


def passed_parts(parts):
    """The parts that passed at the first try; a retry gives a part no record."""
    return [row for row in parts if row.get("status") == 0]


def harness_tests(report, parts):
    """The number of Python tests that passed in script/testing: none if the part failed."""
    if "harness" not in {row["part"] for row in passed_parts(parts)}:
        return 0
    try:
        with open(os.path.join(report, "harness.out"), encoding="utf-8") as file:
            return int(match[1]) if (match := re.search(r"^Ran (\d+) tests", file.read(), re.MULTILINE)) else 0
    except FileNotFoundError:
        return 0


def rows(report, name):
    try:
        with open(os.path.join(report, name), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]
    except FileNotFoundError:
        return []


def print_steps(report, names):
    """Prints the times of steps and records those that passed; returns 1 if one did not begin or failed."""
    steps = [row for row in read_parts(report) if row["part"] in names]
    print_times(steps)
    passed = passed_parts(steps)
    record.save(report, passed)
    missing = set(names) - {row["part"] for row in passed} - set(record.skipped_parts(report))
    for name in sorted(missing):
        print(f"BROKEN PART: {name}")
    return 1 if missing else 0


def read_parts(report):
    """One row for each part that began; the fields of its end are missing if its supervisor died."""
    parts = {}
    for row in rows(report, "parts.jsonl"):
        parts.setdefault(row["part"], {"streams": []}).update(row)
    return list(parts.values())


def print_skipped_parts(skipped):
    if skipped:
        print("\nSkipped parts, with the seconds and the date of the run in which they passed with the same inputs:")
    for part, row in skipped.items():
        print(f"{row['seconds']:8.0f}  {part}, {row['passed']}")


def print_broken(report, parts, ran, mode, chosen, skipped):
    """Prints the broken parts, and returns their names."""
    broken = []
    with_tests, with_failures = {part for part, _ in ran}, {part for part, test in ran if test.failed}
    for row in parts:
        if row["part"].startswith("retry-"):
            continue
        if reason := trouble(report, row, row["part"] in with_tests, with_failures, chosen):
            print(f"BROKEN PART: {row['part']}: {reason}")
            print_output(report, row["part"])
            broken.append(row["part"])
        elif row["streams"] and row["part"] not in with_tests:
            print(f"NO TESTS: {row['part']} has none for: {' '.join(chosen)}")
    # After a broken part the others do not begin.
    for name in SUITES[mode] if not broken else ():
        if name not in {row["part"] for row in parts} | set(skipped):
            print(f"BROKEN PART: {name}: it never began")
            broken.append(name)
    return broken


def print_output(report, part):
    """The end of what a part printed, without the lines of Swift Testing: why it crashed stands there."""
    try:
        with open(os.path.join(report, part + ".out"), encoding="utf-8", errors="replace") as file:
            told = [line.rstrip()[:LONGEST_LINE] for line in file if not line.startswith(("\u25c7", "\u2714", "\u279c"))]
    except FileNotFoundError:
        return
    for line in told[-LAST_LINES:]:
        print(f"    | {line}")


def trouble(report, row, has_tests, with_failures, chosen):
    """Why a part is broken, if it is: it did not end by itself, or no failed test explains its status."""
    if "status" not in row:
        return "it began, and nothing tells of its end"
    if row["reason"]:
        return row["reason"]
    if row["streams"] and not has_tests:
        # The filter may select tests of another suite only.
        return None if chosen and row["status"] == 0 else f"no test ran (exit status {row['status']})"
    # Failed tests do not excuse a crash.
    if unended := [path for path in row["streams"] if not events.read(os.path.join(report, path)).ended]:
        return f"it crashed or was ended: no end of the run in {', '.join(unended)} (exit status {row['status']})"
    # Such as a column that has no display.
    if idle := [path for path in row["streams"] if not chosen and not ran_any(report, path)]:
        return f"no test ran in {', '.join(idle)}"
    if row["status"] == 0 or row["status"] == 1 and row["part"] in with_failures:
        return None
    return f"exit status {row['status']}"


def ran_any(report, path):
    return any(test.ran for test in events.read(os.path.join(report, path)).tests.values())


def print_failures(lasting, retries):
    parts = {test: part for part, test in lasting}
    shown, others = events.at_work([test for test in parts if not test.issues])
    for test in [test for test in parts if test.issues] + shown:
        print(f"{'NEVER ENDED' if test.never_ended else 'FAILED'}: {test.name} ({parts[test]}: {test.id})")
        print_indented("", test.issues)
        if row := retries.get((parts[test], test.id)):
            print_indented("again by itself: ", row["second"])
    if others:
        print(f"NEVER ENDED: {others} more, which may only have waited for their turn")


def print_flaky(flaky):
    for row in flaky:
        print(f"FLAKY: {row['name']} ({row['part']}: {row['id']})")
        print_indented("first: ", row["first"])
        print("  by itself: passed")
    if len(flaky) > MOST_FLAKY:
        print(f"{len(flaky)} flaky tests: more than {MOST_FLAKY} fail the run.")


def print_indented(prefix, texts):
    for text in texts:
        print(f"  {prefix}" + text.replace("\n", "\n    "))


def tests_of(report, skipped):
    """The tests of skipped parts, from the recorded streams."""
    return [(part, test) for part, row in skipped.items() for path in row["streams"]
            for test in events.read(os.path.join(report, path)).tests.values()]


def print_skips(tests, recorded, in_ci):
    """Prints the skipped tests by reason, and returns those that CI does not accept."""
    skipped = [(part, test) for part, test in tests if test.is_function and test.skipped]
    started = {(part, test.id) for part, test in tests + recorded if test.started is not None}
    if skipped:
        print(f"{len(skipped)} skipped:")
    for (part, reason), number in collections.Counter((part, test.skipped) for part, test in skipped).most_common():
        print(f"{number:8}  {part}: {reason}")
    lost = [(part, test) for part, test in skipped if not may_skip(part, test, started)]
    for part, test in lost if in_ci else ():
        print(f"SKIPPED IN CI: {test.name} ({part}: {test.id}): {test.skipped}")
    return lost


def may_skip(part, test, started):
    # The stream does not distinguish the reason of `.columns` from others. But a case skipped in one column runs in
    # another; a case that ran in no column was skipped for another reason.
    if part in COLUMN_PARTS:
        return any((column, test.id) in started for column in COLUMN_PARTS)
    # What needs a file of SQLite has run with one.
    if part == "postgres" and ("store", test.id) in started:
        return True
    # Not a check: it draws pages for review.
    return ".PagePreviewTests/" in test.id


def write_flaky(flaky, path):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = open(path, "w", encoding="utf-8")
    except OSError as error:
        print(f"The flaky tests cannot be written down: {error}")
        return
    with file:
        for row in flaky:
            file.write(f"{row['name']} ({row['part']}: {row['id']})\n")
            file.writelines(f"  {line}\n" for text in row["first"] for line in text.splitlines())


def print_slowest(ran):
    print("\nThe slowest tests, in seconds, of those whose time is known:")
    known = [(test.seconds, test.name, part) for part, test in ran if test.is_function and test.seconds is not None]
    for seconds, name, part in sorted(known, reverse=True)[:SLOWEST]:
        print(f"{seconds:8.1f}  {name} ({part})")


def print_times(parts):
    """Prints the time of each part, and the processor time of its processes."""
    print("\nThe time of each part and its processor time, in seconds:")
    columns = ("seconds", "processor_seconds")
    for row in parts:
        print("".join(f"{row[key]:8.0f}" if key in row else "       ?" for key in columns) + f"  {row['part']}")
    print("".join(f"{sum(row.get(key, 0) for row in parts):8.0f}" for key in columns) + "  in all")


if __name__ == "__main__":
    if sys.argv[1] == "--steps":
        sys.exit(print_steps(sys.argv[2], sys.argv[3:]))
    else:
        sys.exit(main(*sys.argv[1:4], sys.argv[4:], bool(os.environ.get("CI"))))
