"""The root package as it was built: its libraries, and what a compiler needs to import them."""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, ".build/debug")
MODULES = os.path.join(BUILD, "Modules")


def in_manifest(pattern):
    with open(os.path.join(ROOT, "Package.swift")) as manifest:
        return sorted(set(re.findall(pattern, manifest.read())))


LIBRARIES = in_manifest(r'\.library\(name: "(\w+)"')
# Package.swift reads it, too.
WITHOUT_WEBKIT = "ONSIDE_WITHOUT_WEBKIT" in os.environ
if WITHOUT_WEBKIT:
    LIBRARIES.remove("OnsideWebKitGTK")


def sources(library):
    """The folder of a library's sources, relative to the root."""
    return next(f"{parent}/{library}" for parent in ("Sources", "Sources/Wallet", "Proof")
                if os.path.isdir(os.path.join(ROOT, parent, library)))


def c_flags():
    """Where the C modules are that the libraries import."""
    checkouts = f"{ROOT}/.build/checkouts/swift-crypto"
    maps = [f"{BUILD}/*.build", f"{checkouts}/Sources/C*/include", f"{ROOT}/Sources/C*", f"{ROOT}/Sources/Wallet/C*"]
    flags = [f"-fmodule-map-file={path}" for folder in maps for path in sorted(glob.glob(f"{folder}/module.modulemap"))]
    packages = in_manifest(r'pkgConfig: "([^"]+)"')
    if WITHOUT_WEBKIT:
        packages = [name for name in packages if not name.startswith("webkitgtk")]
    headers = subprocess.check_output(["pkg-config", "--cflags", *packages], text=True)
    return [flag for path in flags + headers.split() for flag in ("-Xcc", path)]


def symbol_graphs(module, folder, *flags):
    """Writes the public declarations of a library, with their comments, into a folder."""
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["unversionedTriple"]
    result = subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-target", target, "-I", MODULES,
         "-minimum-access-level", "public", "-output-dir", folder, *flags, *c_flags()],
        capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"Expected the built module {module} in {MODULES}; run `swift build` first.\n{result.stderr}")
