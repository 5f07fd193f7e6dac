#!/usr/bin/env python3
"""report.py REPORT FLAKY: the end of script/test. Prints what failed, what never ended, which tests are flaky, the slowest
tests and the time of each part; exits 1 when the run failed.

A test that failed and then passed by itself is flaky. Up to three flaky tests do not fail a run; they are written to the file
FLAKY, which the next run shows.
"""
import glob
import json
import os
import sys

import events

MOST_FLAKY = 3
SLOWEST = 10


def main(report, flaky_file):
    parts = rows(report, "parts.jsonl")
    retries = {(row["part"], row["id"]): row for row in rows(report, "retries.jsonl")}
    tests = [(part_of(path), test) for path in sorted(glob.glob(os.path.join(report, "*.jsonl")))
             if not os.path.basename(path).startswith(("parts", "retr"))
             for test in events.read(path).values() if test.is_function and (test.started is not None or test.failed)]
    failed = [(part, test) for part, test in tests if test.failed]
    flaky = [retries[part, test.id] for part, test in failed if retries.get((part, test.id), {}).get("passed")]
    lasting = [(part, test) for part, test in failed if not retries.get((part, test.id), {}).get("passed")]
    print_failures(lasting, retries)
    print_flaky(flaky)
    write_flaky(flaky, flaky_file)
    print_times(tests, parts)
    broken = broken_parts(parts, {part for part, _ in failed})
    for row in broken:
        print(f"BROKEN PART: {row['part']}: {row['reason'] or 'exit status %s' % row['status']}")
    print(f"\n{len(tests) - len(lasting)} passed, {len(lasting)} failed")
    return 1 if lasting or broken or len(flaky) > MOST_FLAKY else 0


def rows(report, name):
    try:
        with open(os.path.join(report, name), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []


def part_of(path):
    return os.path.basename(path)[: -len(".jsonl")].split("-")[0]


def broken_parts(parts, with_failures):
    """Parts that did not end by themselves, or whose status no failed test explains."""
    return [row for row in parts if not row["part"].startswith("retry-")
            and (row["reason"] or row["status"] != 0 and row["part"] not in with_failures)]


def print_failures(lasting, retries):
    for part, test in lasting:
        print(f"{'NEVER ENDED' if test.never_ended else 'FAILED'}: {test.name} ({part}: {test.id})")
        print_indented("", test.issues)
        if row := retries.get((part, test.id)):
            print_indented("again by itself: ", row["second"])


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


def write_flaky(flaky, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for row in flaky:
            file.write(f"{row['name']} ({row['part']}: {row['id']})\n")
            file.writelines(f"  {line}\n" for text in row["first"] for line in text.splitlines())


def print_times(tests, parts):
    print("\nThe slowest tests, in seconds:")
    for part, test in sorted(tests, key=lambda row: -row[1].seconds)[:SLOWEST]:
        print(f"{test.seconds:8.1f}  {test.name} ({part})")
    print("\nThe time of each part, in seconds:")
    for row in parts:
        print(f"{row['seconds']:8.0f}  {row['part']}")
    print(f"{sum(row['seconds'] for row in parts):8.0f}  in all")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
