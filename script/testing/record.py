#!/usr/bin/env python3
"""The record of the parts that passed on this machine, beside flaky-tests.txt: a folder for each part and key, with
the part's event streams.

record.py begin REPORT [--all]: writes the keys to REPORT/keys.json, and the parts that passed with their present key to
REPORT/skipped.json; copies the streams of those parts to REPORT, where the table of conformance reads them. With --all
it skips no part.
record.py needed REPORT PART...: exits with SKIPPED if the run skips all of these parts, else with 0.
"""
import datetime
import json
import os
import shutil
import sys
import tempfile

import inputs

STATE = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".local/state")
FOLDER = os.path.join(STATE, "onsidekit", "passed-parts")
# Branches and clones of one machine share the records of a part.
RECORDS_PER_PART = 5
# Not 1, the status of a Python program that fails: a part must not be skipped because of a fault in this one.
SKIPPED = 3


def begin(report, ignores_record):
    keys = inputs.keys()
    write_json(os.path.join(report, "keys.json"), {"keys": keys, "stamps": inputs.stamps()})
    found = {} if ignores_record else {part: row for part, key in keys.items() if (row := recorded(report, part, key))}
    write_json(os.path.join(report, "skipped.json"), found)


def recorded(report, part, key):
    """The record of a part with this key, if there is one; copies its streams to the report."""
    try:
        row = read_json(os.path.join(folder(part, key), "record.json"))
        for stream in row["streams"] if row else ():
            shutil.copy(os.path.join(folder(part, key), stream), report)
        return row
    except OSError:  # another run deleted it meanwhile
        return None


def skipped_parts(report):
    """The record of each part that the run skips."""
    return read_json(os.path.join(report, "skipped.json")) or {}


def needed(report, parts):
    return any(part not in skipped_parts(report) for part in parts)


def save(report, rows):
    """Records these parts, except those with an input that changed during the run."""
    began = read_json(os.path.join(report, "keys.json"))
    rows = [row for row in rows if row["part"] in inputs.PARTS]
    if not began or not rows:
        return
    keys, stamps = inputs.keys(), inputs.stamps()
    for row in rows:
        part = row["part"]
        if began["keys"][part] == keys[part] and began["stamps"][part] == stamps[part]:
            try:
                write(report, row, keys[part])
            except OSError as error:
                print(f"The record of {part} cannot be written: {error}")


def write(report, row, key):
    os.makedirs(FOLDER, exist_ok=True)
    work = tempfile.mkdtemp(dir=FOLDER)
    try:
        for stream in row["streams"]:
            shutil.copy(os.path.join(report, stream), work)
        passed = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        write_json(os.path.join(work, "record.json"),
                   {"passed": passed, "seconds": row["seconds"], "streams": row["streams"]})
        target = folder(row["part"], key)
        shutil.rmtree(target, ignore_errors=True)
        os.rename(work, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    delete_old(row["part"])


def delete_old(part):
    folders = [entry for entry in os.scandir(FOLDER) if entry.name.startswith(part + "=")]
    for entry in sorted(folders, key=lambda entry: entry.stat().st_mtime, reverse=True)[RECORDS_PER_PART:]:
        shutil.rmtree(entry.path, ignore_errors=True)


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
        sys.exit(0 if needed(sys.argv[2], sys.argv[3:]) else SKIPPED)
