#!/usr/bin/env python3
"""Writes the manual page: onside.1.in with the commands and options that the program itself lists.

man.py TEMPLATE VERSION DATE <TOOL_INFO >PAGE, where TOOL_INFO is the output of `onside --experimental-dump-help`."""
import json
import re
import sys


def escaped(text):
    """The text as roff takes it: no escapes, no line that begins a request, `code` in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return re.sub(r"(?m)^(?=[.'])", r"\\&", text)


def paragraphs(text):
    """Paragraphs of a discussion; the lines within one flow together."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text or "") if part.strip()]


def label(argument):
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        shown = value + (" ..." if argument["isRepeating"] else "")
        return f"[{shown}]" if argument["isOptional"] else shown
    # An option with several names is listed as --help lists it: the short name first.
    names = sorted(argument["names"], key=lambda name: name["kind"] == "long")
    shown = ", ".join(f"\\fB{escaped('-' * (1 + (name['kind'] == 'long')) + name['name'])}\\fR" for name in names)
    return shown + (f" {value}" if argument["kind"] == "option" else "")


def arguments(command):
    """What is listed below a command: not --help and --version, which every command has."""
    return [
        argument
        for argument in command.get("arguments", [])
        if argument["shouldDisplay"] and argument["valueName"] not in ("help", "version")
    ]


def described(argument):
    text = " ".join(filter(None, [argument.get("abstract"), *paragraphs(argument.get("discussion"))]))
    if "defaultValue" in argument:
        text += f" (default: {argument['defaultValue']})"
    return escaped(text)


def section(command, path):
    own = arguments(command)
    usage = " ".join([f"\\fB{escaped(path)}\\fR", *(label(item) for item in own if item["kind"] == "positional")])
    lines = [f".SS {usage}" + (" [\\fIoptions\\fR]" if any(item["kind"] != "positional" for item in own) else "")]
    texts = [command.get("abstract", ""), *paragraphs(command.get("discussion"))]
    lines.append("\n.PP\n".join(escaped(text) for text in texts if text))
    for item in own:
        lines += [".TP", label(item), described(item) or "\\&"]
    return lines


def sections(command, path):
    lines = []
    for child in command.get("subcommands", []):
        if child["commandName"] == "help" or not child.get("shouldDisplay", True):
            continue
        name = f"{path} {child['commandName']}"
        lines += section(child, name) + sections(child, name)
    return lines


def main():
    template, version, date = sys.argv[1:]
    command = json.load(sys.stdin)["command"]
    with open(template) as file:
        page = file.read()
    for name, text in {"VERSION": version, "DATE": date}.items():
        page = page.replace(f"@{name}@", escaped(text))
    print(page.replace("@COMMANDS@", "\n".join(sections(command, command["commandName"]))), end="")


main()
