"""Tests of the record of passed parts."""
import os
import tempfile
from unittest import mock

import inputs
import record
import report
from test_report import HarnessTests, failed, passed, run, skipped


class RecordTests(HarnessTests):
    def setUp(self):
        super().setUp()
        state = tempfile.TemporaryDirectory()
        self.addCleanup(state.cleanup)
        self.keys = {part: f"{part} 1" for part in inputs.PARTS}
        self.stamps = dict(self.keys)
        for replacement in (mock.patch.object(record, "FOLDER", os.path.join(state.name, "passed-parts")),
                            mock.patch.object(inputs, "keys", lambda: dict(self.keys)),
                            mock.patch.object(inputs, "stamps", lambda: dict(self.stamps))):
            replacement.start()
            self.addCleanup(replacement.stop)

    def begin(self, ignores_record=False):
        """A new run; returns the parts that it skips."""
        for name in os.listdir(self.folder):
            if name.endswith((".json", ".jsonl", ".out")):
                os.remove(os.path.join(self.folder, name))
        record.begin(self.folder, ignores_record)
        return set(record.skipped_parts(self.folder))

    def test_passed_parts_are_skipped(self):
        self.assertEqual(self.begin(), set())
        self.part("setup")
        self.whole()
        self.report()
        self.assertEqual(self.begin(), set(report.WHOLE))
        self.assertFalse(record.needed(self.folder, ["root", "store"]))
        self.assertTrue(record.needed(self.folder, ["root", "docs"]))
        self.assertEqual(self.begin(ignores_record=True), set())

    def test_changed_input(self):
        self.begin()
        self.whole()
        self.report()
        self.keys["store"] = "store 2"
        self.assertEqual(self.begin(), set(report.WHOLE) - {"store"})

    def test_change_during_the_run(self):
        self.begin()
        self.whole()
        self.keys["store"] = "store 2"
        self.report()
        self.keys["store"] = "store 1"
        self.assertNotIn("store", self.begin())

    def test_file_that_changed_and_changed_back_during_the_run(self):
        self.begin()
        self.whole()
        self.stamps["store"] = "store 2"
        self.report()
        self.assertNotIn("store", self.begin())

    def test_broken_part_has_no_record(self):
        self.begin()
        self.part("hard", hard=run())
        self.part("column_p", column_p_P=run(*passed("a"))[:-1])
        self.part("conformance", conformance_L=run(*passed("a")), conformance_S=[])
        self.whole("hard", "column_p", "conformance")
        self.assertEqual(self.report()[0], 1)
        self.assertEqual(self.begin(), set(report.WHOLE) - {"hard", "column_p", "conformance"})

    def test_status_of_needed(self):
        self.assertNotIn(record.SKIPPED, (0, 1, 2))

    def test_record_without_its_streams_is_none(self):
        self.begin()
        self.whole()
        self.report()
        for name in os.listdir(record.FOLDER):
            if name.startswith("root="):
                os.remove(os.path.join(record.FOLDER, name, "root.jsonl"))
        self.assertNotIn("root", self.begin())

    def test_failed_and_flaky_parts_have_no_record(self):
        self.begin()
        self.part("root", 1, root=run(*failed("a")))
        self.retried("a")
        self.part("store", 1, store=run(*failed("b")))
        self.whole("root", "store")
        self.report()
        self.assertEqual(self.begin(), set(report.WHOLE) - {"root", "store"})

    def test_part_with_tests_skipped_for_a_missing_tool_has_no_record(self):
        self.begin()
        self.part("root", root=run(*passed("a"), *skipped("b", 'Test "b" skipped: "needs node"')))
        self.whole("root")
        self.assertEqual(self.report(in_ci=False)[0], 0)
        self.assertNotIn("root", self.begin())

    def test_streams_of_a_skipped_part_are_there(self):
        self.begin()
        self.whole()
        self.report()
        self.begin()
        self.assertTrue(os.path.exists(os.path.join(self.folder, "root.jsonl")))

    def test_skip_on_postgres_beside_a_skipped_store(self):
        reason = 'Test "b" skipped: "the test looks into the file"'
        self.begin()
        self.part("store", store=run(*passed("b")))
        self.whole("store")
        self.report()
        self.keys["postgres"] = "postgres 2"
        self.begin()
        self.part("postgres", postgres=run(*passed("a"), *skipped("b", reason)))
        self.assertEqual(self.report()[0], 0)

    def test_run_that_skips_everything_counts_the_tests_of_the_harness(self):
        self.begin()
        self.whole()
        self.report()
        self.begin()
        with open(os.path.join(self.folder, "harness.out"), "w", encoding="utf-8") as file:
            file.write("Ran 7 tests in 0.1s\n\nOK\n")
        self.part("harness")
        status, text = self.report()
        self.assertEqual(status, 0)
        self.assertIn("7 passed, 0 failed", text)
        self.assertIn("  root, ", text)

    def test_old_records_are_deleted(self):
        for number in range(record.RECORDS_PER_PART + 3):
            self.keys["root"] = f"root {number}"
            self.begin()
            self.whole()
            self.report()
        names = [name for name in os.listdir(record.FOLDER) if name.startswith("root=")]
        self.assertEqual(len(names), record.RECORDS_PER_PART)
        self.assertIn("root", self.begin())
