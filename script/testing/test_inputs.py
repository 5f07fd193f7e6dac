"""Compares the table of inputs with the target dependencies of both packages."""
import json
import os
import subprocess
import unittest

import inputs

# The products and targets of each part. Libraries are the library products of the root package.
ALL_LIBRARIES = "libraries"
TARGETS = {
    "root": {"OnsideCommerceTests", "OnsideAPITests", "OnsideVerifyTests", "OnsideWalletImportTests",
             "WalletCallShapes5", "WalletCallShapes6", "PublishedCallsSwift5Tests", "PublishedCallsSwift6Tests",
             "CompletionCalls5", "OnsideKitTests", "OnsideTestKitTests", "OnsideSimulationTests", "SecretServiceTests",
             "OnsideWebKitGTKTests"},
    "hard": {"SodiumTests", "StellarTests", "OnsideVaultTests", "OnsideWalletTests"},
    "check-apple": {"OnsideKit"},
    "check-samples": ALL_LIBRARIES,
    "docs": ALL_LIBRARIES,
    "api": {"OnsideKit", "OnsideTestKit", "OnsideVerify", "OnsideWallet", "OnsideCommerce"},
    # `swift build` builds everything but test targets.
    "build-release": None,
    "store": {"OnsideStoreTests", "StoreAccountsTests", "StoreBaseTests", "StoreMerchantsTests", "StoreStripeTests",
              "StoreVaultTests", "StoreWebTests", "PostgresClientTests", "ConformanceTableTests"},
    "programs": {"OnsideCLITests", "OnsideBrowserHostTests"},
    "postgres": {"OnsideStoreTests"},
    "column_p": {"onside-conformance"},
    "conformance": {"onside-conformance"},
    "failover": {"onside"},
    "backends": {"onside"},
    "demo": {"onside", "onside-demo"},
    "demo-stripe": {"onside", "onside-demo"},
    "demo-subscription": {"onside", "onside-demo"},
}


def describe(folder):
    return json.loads(inputs.output("swift", "package", "--package-path", folder, "describe", "--type", "json"))


class InputsTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages = {folder: describe(folder) for folder in (".", "Store")}
        cls.targets, cls.products = {}, {}
        for folder, package in packages.items():
            for target in package["targets"]:
                cls.targets[target["name"]] = target | {"package": folder, "folder": os.path.normpath(f"{folder}/{target['path']}")}
            for product in package["products"]:
                cls.products[product["name"]] = product["targets"]
        cls.libraries = {product["name"] for product in packages["."]["products"] if "library" in product["type"]}
        cls.files = list(inputs.blobs())

    def closure(self, names):
        """The targets of these names, and all targets of both packages that they depend on."""
        found, queue = set(), list(names)
        while queue:
            name = queue.pop()
            if name in self.targets and name not in found:
                found.add(name)
                queue += self.targets[name].get("target_dependencies", [])
                queue += self.targets[name].get("product_dependencies", [])
            elif name not in self.targets:
                queue += [target for target in self.products.get(name, []) if target not in found]
        return found

    def names(self, part):
        if part == "build-release":
            return {name for name, target in self.targets.items()
                    if target["package"] == "." and target["type"] != "test"}
        return self.libraries if TARGETS[part] == ALL_LIBRARIES else TARGETS[part]

    def test_every_part_reads_the_sources_of_its_targets(self):
        for part in inputs.PARTS:
            names = self.names(part)
            folders = [self.targets[name]["folder"] + "/" for name in self.closure(names)]
            # SwiftPM does not build DocC catalogues.
            missing = [path for path in self.files if path.startswith(tuple(folders)) and ".docc/" not in path
                       and part not in inputs.parts_of(path)]
            self.assertEqual(missing, [], f"{part} does not have them as inputs")

    def test_every_test_target_belongs_to_a_part(self):
        known = set().union(*(names for names in TARGETS.values() if isinstance(names, set)))
        tests = {name for name, target in self.targets.items() if target["type"] == "test"}
        self.assertEqual(tests - known, set())

    def test_table_has_at_most_fifteen_rows(self):
        self.assertLessEqual(len(inputs.ROWS), 15)

    def test_names_in_the_table(self):
        named = {part for _, parts in inputs.ROWS for part in parts.split()}
        self.assertEqual(named - set(inputs.PARTS), set())
        self.assertEqual(set(TARGETS), set(inputs.PARTS))

    def test_path_without_a_row_belongs_to_all_parts(self):
        self.assertEqual(inputs.parts_of("Package.swift"), set(inputs.PARTS))
        self.assertEqual(inputs.parts_of("Sources/OnsideCommerce/Money.swift"), set(inputs.PARTS))

    def test_documents_belong_to_few_parts(self):
        self.assertEqual(inputs.parts_of("docs/testing.md"), {"docs", "check-samples"})


class KeyTests(unittest.TestCase):
    def test_blobs_are_those_of_git(self):
        path = "script/testing/inputs.py"
        known = subprocess.run(["git", "hash-object", path], cwd=inputs.ROOT, capture_output=True, text=True, check=True)
        self.assertEqual(inputs.blobs()[path], [known.stdout.strip(), False, None])

    def test_mode_and_target_of_links(self):
        self.assertTrue(inputs.blobs()["script/test"][1])
        self.assertEqual(inputs.blobs()["Tests/PublishedCalls/Swift5/Shapes"][2], "../Shapes")


if __name__ == "__main__":
    unittest.main()
