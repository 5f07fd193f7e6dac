"""The input files of each part of script/test and .ci/run, and the key of a part: a hash of these files and of the tools.

ROWS is written by hand; test_inputs.py compares it with the target dependencies of both packages.
"""
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The parts that a record can skip.
PARTS = ("root", "hard", "check-apple", "check-samples", "docs", "store", "programs", "postgres", "column_p",
         "conformance", "failover", "backends", "api", "demo", "demo-stripe", "demo-subscription", "build-release")
# The parts that read the SDK's public libraries, and those that run the store's programs.
LIBRARY_PARTS = "root check-apple check-samples docs api build-release"
PROGRAM_PARTS = "programs conformance column_p failover backends demo demo-stripe demo-subscription"

# Environment variables that the manifests read, and those that change the tests.
VARIABLES = ("WARNINGS_AS_ERRORS", "ONSIDE_WITHOUT_WEBKIT", "ONSIDE_WITHOUT_POSTGRES", "ONSIDE_SEEDS", "ONSIDE_CROWD",
             "ONSIDE_TEST_DATABASE", "ONSIDE_PAGE_PREVIEW")

# Path patterns, in which `*` matches `/` too, and the parts that read such files. The first row that matches a path
# counts. A path without a row belongs to all parts.
ROWS = (
    # The table of conformance shows these promises; ConformanceTableTests reads them.
    ("docs/behaviours.md", "docs check-samples store conformance column_p"),
    # OnsideBrowserHostTests runs their samples in JavaScript.
    ("README.md docs/web-apps.md", "docs check-samples programs"),
    # OnsideStoreTests compares them with the code. The result does not depend on the database, so `postgres` is missing.
    ("docs/*.yaml docs/monitoring* docs/operating.md docs/problems.md docs/access.md docs/account-data.md",
     "docs check-samples store"),
    ("Examples/*", f"root check-samples docs store postgres {PROGRAM_PARTS}"),
    # OnsideStoreTests reads the packaged configuration, and the benchmarks are built with it. No part runs the scripts.
    # The tests of the store's modules do not run on PostgreSQL once more (`not_again` in script/test).
    ("Packaging/* Store/Proof/*-bench/* Store/Proof/LoadLoop/* Store/Proof/Peers/* script/acts script/bench script/pictures "
     "script/fuzz script/package script/check-package script/check-image script/testing/clean-root.sh "
     "script/testing/image/* Store/Tests/Store*Tests/*", "store"),
    ("Store/Sources/* Store/Proof/* Store/Tests/Support/*", f"store postgres {PROGRAM_PARTS}"),
    ("Store/Tests/OnsideCLITests/* Store/Tests/OnsideBrowserHostTests/*", "programs"),
    ("Store/Tests/*", "store postgres"),
    ("*.md *.docc/* docs/images/* LICENSE", "docs check-samples"),
    ("Sources/OnsideKit/* Sources/SecretService/* Sources/Wallet/OnsideWallet* Sources/Wallet/*TPM/*",
     f"hard {LIBRARY_PARTS} {PROGRAM_PARTS}"),
    ("Sources/OnsideTestKit/*", LIBRARY_PARTS),
    ("Proof/* Sources/*WebKitGTK/* Sources/onside-*", f"{LIBRARY_PARTS} conformance column_p"),
    # OnsideCLITests reads it, too.
    ("Tests/OnsideWalletImportTests/Files/*", "root programs"),
    # Programs and libraries of tests, which a release build contains.
    ("Tests/Support/*", "root hard build-release"),
    ("Tests/*", "root hard check-apple check-samples"),
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
    """The hash and the mode of each file of the work tree that git tracks or does not ignore; the target of a link."""
    listed = output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = sorted({path for path in listed if path and os.path.lexists(os.path.join(ROOT, path))})
    files = [path for path in paths if os.path.isfile(os.path.join(ROOT, path))]
    hashes = output("git", "hash-object", "--no-filters", "--stdin-paths", text="\n".join(files) + "\n").split()
    found = dict(zip(files, hashes, strict=True))
    return {path: [found.get(path), *mode_and_target(os.path.join(ROOT, path))] for path in paths}


def mode_and_target(path):
    return os.access(path, os.X_OK), os.readlink(path) if os.path.islink(path) else None


def pins(folder):
    """The resolved versions of a package's dependencies."""
    with open(os.path.join(ROOT, folder, "Package.resolved"), encoding="utf-8") as file:
        return [(pin["identity"], pin["state"]) for pin in json.load(file)["pins"]]


def tools():
    """The versions of the compiler, the Swift packages and the Debian packages, and the environment variables."""
    packages = output("bash", "script/setup", "--list").split()
    installed = output("dpkg-query", "-W", *packages) if shutil.which("dpkg-query") else None
    return [output("swift", "--version"), pins("."), pins("Store"), installed,
            {name: os.environ.get(name) for name in VARIABLES}]


def keys():
    """The key of each part."""
    return by_part(blobs(), tools())


def stamps():
    """A hash of the modification times of each part's inputs, which shows that a file changed and changed back."""
    return by_part({path: os.lstat(os.path.join(ROOT, path)).st_mtime_ns for path in blobs()})


def by_part(values, common=None):
    """A hash of the values of each part's inputs and a common value."""
    readers = {path: parts_of(path) for path in values}
    return {part: digest([part, common, [(path, values[path]) for path in values if part in readers[path]]])
            for part in PARTS}


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
