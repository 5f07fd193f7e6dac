"""The input files of each part of script/test and .ci/run, and the key of a part: a hash of these files and of the tools.

ROWS is written by hand; test_inputs.py compares it with the target dependencies of both packages.
"""
import fnmatch
import hashlib
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The parts that a record can skip.
PARTS = ("root", "hard", "check-apple", "check-samples", "docs", "store", "programs", "postgres", "column_p",
         "conformance", "failover", "api", "demo", "demo-stripe", "demo-subscription", "build-release")
# The parts that read the SDK's public libraries, and those that run the store's programs.
LIBRARIES = "root check-apple check-samples docs api build-release"
SYSTEM = "programs conformance column_p failover demo demo-stripe demo-subscription"

# Environment variables that Package.swift of either package reads.
VARIABLES = ("WARNINGS_AS_ERRORS", "ONSIDE_WITHOUT_WEBKIT", "ONSIDE_WITHOUT_POSTGRES")

# Path patterns, in which `*` matches `/` too, and the parts that read such files. The first row that matches a path
# counts. A path without a row belongs to all parts.
ROWS = (
    # The table of conformance shows these promises; ConformanceTableTests reads them.
    ("docs/behaviours.md", "docs check-samples store conformance column_p"),
    ("docs/api/*", "api"),
    # OnsideBrowserHostTests runs their samples in JavaScript.
    ("README.md docs/web-apps.md", "docs check-samples programs"),
    # OnsideStoreTests compares them with the code. Those tests open no database, so `postgres` does not read them.
    ("docs/*.yaml docs/monitoring* docs/operating.md docs/problems.md docs/access.md docs/account-data.md",
     "docs check-samples store"),
    ("Examples/*", f"root check-samples docs store postgres {SYSTEM}"),
    ("Store/Sources/*", f"store postgres {SYSTEM}"),
    ("Store/Tests/OnsideCLITests/* Store/Tests/OnsideBrowserHostTests/*", "programs"),
    ("Store/Tests/*", "store postgres"),
    ("*.md *.docc/* docs/images/* LICENSE", "docs check-samples"),
    ("Sources/OnsideKit/* Sources/SecretService/* Sources/OnsideWallet* Sources/TPM/* Sources/CTPM/*",
     f"hard {LIBRARIES} {SYSTEM}"),
    ("Sources/OnsideTestKit/*", LIBRARIES),
    ("Sources/OnsideSimulation/* Sources/*WebKitGTK/* Sources/onside-*", f"{LIBRARIES} conformance column_p"),
    # OnsideCLITests reads it, too.
    ("Tests/OnsideWalletImportTests/Files/*", "root programs"),
    ("Tests/*", "root hard check-apple check-samples"),
    # OnsideStoreTests reads the packaged configuration. The benchmarks are built with the store's tests.
    ("Packaging/* Store/Benchmarks/* script/bench script/pictures script/fuzz script/package script/check-package",
     "store"),
)


def parts_of(path):
    """The parts that read a file."""
    for patterns, parts in ROWS:
        if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns.split()):
            return set(parts.split())
    return set(PARTS)


def output(*command, text=None):
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True).stdout


def blobs():
    """The hash of each file of the work tree that git tracks or does not ignore."""
    listed = output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = sorted({path for path in listed if os.path.isfile(os.path.join(ROOT, path))})
    hashes = output("git", "hash-object", "--no-filters", "--stdin-paths", text="\n".join(paths) + "\n").split()
    return dict(zip(paths, hashes, strict=True))


def pins(folder):
    """The resolved versions of a package's dependencies."""
    with open(os.path.join(ROOT, folder, "Package.resolved"), encoding="utf-8") as file:
        return [(pin["identity"], pin["state"]) for pin in json.load(file)["pins"]]


def tools():
    """The versions of the compiler, the Swift packages and the Debian packages, and the manifests' variables."""
    packages = output("bash", "script/setup", "--list").split()
    return [output("swift", "--version"), pins("."), pins("Store"), output("dpkg-query", "-W", *packages),
            {name: os.environ.get(name) for name in VARIABLES}]


def keys():
    """The key of each part."""
    files, common = blobs(), tools()
    readers = {path: parts_of(path) for path in files}
    return {part: digest([part, common, [(path, files[path]) for path in files if part in readers[path]]])
            for part in PARTS}


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
