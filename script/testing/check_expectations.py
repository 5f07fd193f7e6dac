#!/usr/bin/env python3
"""Finds comparisons in `#expect` with `try` or `await`: Swift Testing prints no values when such one fails.

Usage: check_expectations.py FOLDER...; prints each place, and exits 1 if there is one. Effects in closures are fine.
"""
import pathlib
import re
import sys

TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)("""|")', re.S)
EFFECT = re.compile(r"\b(?:try|await)\b")
COMPARISON = re.compile(r"\s(?:==|!=|<|>|<=|>=|===|!==|~=)\s")
EXPECTATION = re.compile(r"#expect\s*\(")
LABELS = re.compile(r"\s*(?:throws|processExitsWith)\s*:")


def end_of_string(source, start, quote, hashes):
    """The index behind a string literal whose text begins at `start`; its interpolations may hold other strings."""
    escape, at = "\\" + hashes, start
    while at < len(source) and not source.startswith(quote + hashes, at):
        if source.startswith(escape + "(", at):
            at = end_of_interpolation(source, at + len(escape) + 1)
        else:
            at += len(escape) + 1 if source.startswith(escape, at) else 1
    return at + len(quote + hashes)


def end_of_interpolation(source, at):
    depth = 1
    while at < len(source) and depth:
        if found := re.compile(r'(#*)("""|")').match(source, at):
            at = end_of_string(source, found.end(), found[2], found[1])
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return at


def without_text(source):
    """The source with blanks in place of comments and string literals; the same length."""
    parts, at = [], 0
    while found := TEXT.search(source, at):
        end = end_of_string(source, found.end(), found[2], found[1]) if found[2] else found.end()
        parts += [source[at : found.start()], re.sub(r"[^\n]", "_", source[found.start() : end])]
        at = end
    return "".join(parts) + source[at:]


def condition(source, start):
    """The first argument of a call whose arguments begin at `start`: without closures, and its outermost level."""
    nesting, plain, outer = [], "", ""
    for letter in source[start:]:
        if letter in ")]}":
            if not nesting:
                break
            nesting.pop()
        if letter == "," and not nesting:
            break
        plain += "_" if "{" in nesting else letter
        outer += "_" if nesting else letter
        if letter in "([{":
            nesting.append(letter)
    return plain, outer


def places(file):
    source = without_text(file.read_text(encoding="utf-8"))
    for found in EXPECTATION.finditer(source):
        plain, outer = condition(source, found.end())
        if EFFECT.search(plain) and COMPARISON.search(outer) and not LABELS.match(plain):
            yield source.count("\n", 0, found.start()) + 1


def main(folders):
    files = sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*.swift"))
    lines = [f"{file}:{line}" for file in files for line in places(file)]
    if lines:
        print("Comparisons in #expect with try or await, which print no values (let value = try …; #expect(value == …)):")
        print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
