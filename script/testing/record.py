#!/usr/bin/env python3
"""The record of the parts that passed on this machine, beside flaky-tests.txt: a folder for each part and key, with
the part's event streams.

record.py begin REPORT [--all]: writes the keys to REPORT/keys.json, and the parts that passed with their present key to
REPORT/skipped.json; copies the streams of those parts to REPORT, where the table of conformance reads them. With --all
it skips no part.
record.py needed REPORT PART...: exits 0 if one of these parts has to run.
"""
import datetime
import json
import os
import shutil
import sys

import inputs

STATE = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".local/state")
FOLDER = os.path.join(STATE, "onsidekit", "passed-parts")
# Records kept of each part. Branches and clones of one machine share them.
KEPT = 5


def begin(report, ignores_record):
    keys = inputs.keys()
    write_json(os.path.join(report, "keys.json"), keys)
    passed = {} if ignores_record else {part: row for part, key in keys.items() if (row := recorded(part, key))}
    for part, row in passed.items():
        for stream in row["streams"]:
            shutil.copy(os.path.join(folder(part, keys[part]), stream), report)
    write_json(os.path.join(report, "skipped.json"), passed)


def skipped(report):
    """The record of each part that the run skips."""
    return read_json(os.path.join(report, "skipped.json")) or {}


def needed(report, parts):
    return any(part not in skipped(report) for part in parts)


def save(report, rows):
    """Records parts that passed at the first try, unless a file changed during the run."""
    before = read_json(os.path.join(report, "keys.json"))
    if not before:
        return
    after = inputs.keys()
    for row in rows:
        if before.get(row["part"]) == after.get(row["part"], ""):
            write(report, row, before[row["part"]])


def write(report, row, key):
    target = folder(row["part"], key)
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for stream in row["streams"]:
        shutil.copy(os.path.join(report, stream), target)
    passed = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    # Last, because a folder without it is no record.
    write_json(os.path.join(target, "record.json"),
               {"passed": passed, "seconds": row["seconds"], "streams": row["streams"]})
    others = [os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.startswith(row["part"] + "=")]
    for old in sorted(others, key=os.path.getmtime, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def recorded(part, key):
    return read_json(os.path.join(folder(part, key), "record.json"))


def folder(part, key):
    return os.path.join(FOLDER, f"{part}={key[:20]}")


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return None


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


if __name__ == "__main__":
    if sys.argv[1] == "begin":
        begin(sys.argv[2], "--all" in sys.argv[3:])
    else:
        sys.exit(0 if needed(sys.argv[2], sys.argv[3:]) else 1)
