#!/usr/bin/env python3
"""Tests of this folder with invented event streams."""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import events
import report
import retry

HERE = os.path.dirname(os.path.abspath(__file__))
PREVIEW = "Store.PagePreviewTests/preview()/PagePreviewTests.swift:11:4"


def announce(test_id, kind="function"):
    return {"kind": "test", "payload": {"id": test_id, "name": test_id, "kind": kind}}


def event(kind, test_id=None, at=0.0, text=""):
    payload = {"kind": kind, "instant": {"absolute": at}, "messages": [{"text": text}]}
    payload |= {"testID": test_id} if test_id is not None else {}
    payload |= {"issue": {"isKnown": False}} if kind == "issueRecorded" else {}
    return {"kind": "event", "payload": payload}


def passed(test_id):
    return [announce(test_id), event("testStarted", test_id), event("testEnded", test_id)]


def failed(test_id):
    return passed(test_id) + [event("issueRecorded", test_id, text=f"{test_id} is wrong")]


def skipped(test_id, text):
    return [announce(test_id), event("testSkipped", test_id, text=text)]


def run(*records):
    return [event("runStarted"), *records, event("runEnded", at=1)]


def heed_signals():
    """A caller such as nohup ignores signals, and its children would, too."""
    for kind in (signal.SIGHUP, signal.SIGINT):
        signal.signal(kind, signal.SIG_DFL)


class HarnessTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.flaky = os.path.join(folder.name, "state", "flaky.txt")

    def lines(self, name, records):
        with open(os.path.join(self.folder, name), "a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def part(self, name, status=0, **streams):
        """A part that ended. Streams are given by name, with _ for -."""
        files = {key.replace("_", "-") + ".jsonl": records for key, records in streams.items()}
        for file, records in files.items():
            self.lines(file, records)
        self.lines("parts.jsonl", [{"part": name, "streams": list(files)}])
        self.lines("parts.jsonl", [{"part": name, "seconds": 1, "status": status, "reason": None}])

    def retried(self, test_id, part="root"):
        row = {"part": part, "id": test_id, "name": test_id, "first": ["wrong"], "second": [], "passed": True}
        self.lines("retries.jsonl", [row])

    def whole(self, *parts):
        """The other suites of a whole run, which passed."""
        for name in set(report.WHOLE) - set(parts):
            self.part(name, **{name: run(*passed(f"in {name}"))})

    def report(self, *chosen, in_ci=True):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            status = report.main(self.folder, self.flaky, "filtered" if chosen else "whole", chosen, in_ci)
        return status, text.getvalue()

    def stream(self, records):
        self.lines("stream.jsonl", records)
        return events.read(os.path.join(self.folder, "stream.jsonl"))


class ReportTests(HarnessTests):
    def test_passed(self):
        self.part("root", root=run(*passed("a")))
        self.whole("root")
        self.assertEqual(self.report()[0], 0)

    def test_suite_that_never_began(self):
        self.whole("store")
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertIn("BROKEN PART: store: it never began", text)
        self.assertEqual(self.report("--filter", "a")[0], 0)

    def test_column_that_ran_nothing(self):
        reason = 'Test "b" skipped: "needs a display"'
        self.part("conformance", conformance_B=run(*passed("b")), conformance_W=run(*skipped("b", reason)))
        self.whole("conformance")
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertIn("BROKEN PART: conformance: no test ran in conformance-W.jsonl", text)

    def test_flaky_file_that_cannot_be_written(self):
        self.flaky = "/proc/none/flaky.txt"
        self.whole()
        self.assertEqual(self.report()[0], 0)

    def test_rows_of_a_part_that_began_elsewhere(self):
        self.whole()
        self.lines("parts.jsonl", [{"part": "setup", "seconds": 1, "status": 0, "reason": None}])
        self.assertEqual(self.report()[0], 0)

    def test_crash_is_not_flaky(self):
        self.part("root", 1, root=run(*failed("a"))[:-1])
        self.retried("a")
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertIn("BROKEN PART: root: it crashed", text)

    def test_crash_shows_the_end_of_the_output(self):
        self.part("root", -6, root=run(*passed("a"))[:-1])
        with open(os.path.join(self.folder, "root.out"), "w", encoding="utf-8") as file:
            file.write("\u25c7 Test a started.\nFatal error: why\n")
        text = self.report()[1]
        self.assertIn("    | Fatal error: why", text)
        self.assertNotIn("Test a started", text)

    def test_column_that_never_began(self):
        self.part("conformance", 0, conformance_L=run(*passed("a")), conformance_S=[])
        self.assertIn("conformance-S.jsonl", self.report()[1])

    def test_flaky(self):
        self.part("root", 1, root=run(*failed("a")))
        self.retried("a")
        self.whole("root")
        self.report(in_ci=False)
        self.report("--filter", "a")
        self.assertFalse(os.path.exists(self.flaky), "only whole runs of CI tell what is flaky")
        self.assertEqual(self.report()[0], 0)
        self.assertTrue(os.path.exists(self.flaky))

    def test_status_that_no_failed_test_explains(self):
        self.part("root", 139, root=run(*failed("a")))
        self.retried("a")
        self.assertIn("BROKEN PART: root: exit status 139", self.report()[1])

    def test_part_without_end(self):
        self.part("root", root=run(*passed("a")))
        self.lines("parts.jsonl", [{"part": "build-store", "streams": []}])
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertIn("BROKEN PART: build-store", text)

    def test_nothing_began(self):
        self.assertEqual(self.report()[0], 1)

    def test_suite_without_tests(self):
        self.part("root", root=run())
        self.part("store", store=run(*passed("a")))
        self.assertEqual(self.report()[0], 1)
        status, text = self.report("--filter", "a")
        self.assertEqual(status, 0)
        self.assertIn("NO TESTS: root", text)

    def test_choice_of_no_test(self):
        self.part("root", root=run())
        self.part("store", store=[])
        self.assertEqual(self.report("--filter", "NOSUCH")[0], 1)

    def test_issues_of_suites_and_of_no_test(self):
        for test_id in ("Suite", ""):
            with self.subTest(test_id):
                self.setUp()
                wrong = [announce("Suite", "suite"), event("issueRecorded", test_id, text="wrong")]
                self.part("root", 1, root=run(*passed("a"), *wrong))
                status, text = self.report()
                self.assertEqual(status, 1)
                self.assertIn("1 passed, 1 failed", text)

    def test_failed_test_of_another_part_excuses_no_status(self):
        self.part("root", 1, root=run(*failed("a")))
        self.part("conformance", 1, conformance_L=run(*passed("b")))
        self.whole("root", "conformance")
        self.assertIn("BROKEN PART: conformance: exit status 1", self.report()[1])

    def test_skips(self):
        self.part("store", store=run(*passed("a"), *skipped(PREVIEW, 'Test "preview" skipped.')))
        reason = 'Test "b" skipped: "it is about web pages"'
        self.part("conformance", conformance_L=run(*passed("c"), *skipped("b", reason)), conformance_W=run(*passed("b")))
        self.whole("store", "conformance")
        status, text = self.report()
        self.assertEqual(status, 0)
        self.assertIn("2 skipped:", text)
        self.assertIn("1  conformance: it is about web pages", text)

    def test_skips_on_postgres(self):
        reason = 'Test "b" skipped: "the test looks into the file"'
        self.part("store", store=run(*passed("a"), *passed("b"), *skipped("c", reason)))
        self.part("postgres", postgres=run(*passed("a"), *skipped("b", reason), *skipped("c", reason)))
        self.whole("store", "postgres")
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertNotIn("SKIPPED IN CI: b", text)
        self.assertEqual(text.count("SKIPPED IN CI: c"), 2)

    def test_skips_that_ci_does_not_accept(self):
        reason = 'Test "b" skipped: "needs node"'
        self.part("root", root=run(*passed("a"), *skipped("b", reason)))
        self.part("conformance", conformance_L=run(*passed("c"), *skipped("d", reason)))
        self.whole("root", "conformance")
        status, text = self.report()
        self.assertEqual(status, 1)
        self.assertEqual(text.count("SKIPPED IN CI"), 2)
        self.assertEqual(self.report(in_ci=False)[0], 0)

    def test_many_that_never_ended(self):
        waiting = [record for number in range(20) for record in passed(f"t{number}")[:2]]
        self.part("root", 1, root=[event("runStarted"), *waiting, event("testCaseStarted", "t7")])
        text = self.report()[1]
        self.assertIn("NEVER ENDED: t7 (root: t7)", text)
        self.assertIn("NEVER ENDED: 19 more", text)


class StepTests(HarnessTests):
    def steps(self, *names):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            return report.print_steps(self.folder, names), text.getvalue()

    def test_steps(self):
        self.part("api")
        self.assertEqual(self.steps("api")[0], 0)
        self.assertEqual(self.steps("api", "demo")[0], 1)
        self.assertIn("BROKEN PART: demo", self.steps("api", "demo")[1])
        self.part("demo", 1)
        self.assertEqual(self.steps("api", "demo")[0], 1)


class StreamTests(HarnessTests):
    def test_seconds(self):
        stream = self.stream(run(
            announce("early"), event("testStarted", "early", 0.5), event("testEnded", "early", 90),
            announce("late"), event("testStarted", "late", 5), event("testEnded", "late", 7),
            announce("cases"), event("testStarted", "cases"), event("testCaseStarted", "cases", 2),
            event("testCaseStarted", "cases", 3), event("testCaseEnded", "cases", 6)))
        self.assertIsNone(stream.tests["early"].seconds)
        self.assertEqual(stream.tests["late"].seconds, 2)
        self.assertEqual(stream.tests["cases"].seconds, 4)

    def test_unknown_ids(self):
        kinds = ["testStarted", "testCaseStarted", "testCaseEnded", "testEnded", "testSkipped", "issueRecorded"]
        for kind in kinds:
            self.assertIn("x", self.stream([event(kind, "x")]).tests)

    def test_half_a_record(self):
        self.lines("stream.jsonl", run(*passed("a")))
        with open(os.path.join(self.folder, "stream.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"kind":')
        self.assertTrue(self.stream([]).ended)


class RetryTests(HarnessTests):
    def passed(self, status, records):
        self.setUp()
        self.lines("retry-root-1.jsonl", records)
        return retry.second_outcome(status, [os.path.join(self.folder, "retry-root-1.jsonl")], "a")["passed"]

    def test_outcome(self):
        self.assertTrue(self.passed(0, run(*passed("a"))))
        self.assertFalse(self.passed(1, run(*passed("a"))), "its process failed")
        self.assertFalse(self.passed(0, run(*passed("a"))[:-1]), "it has no end")
        self.assertFalse(self.passed(0, run(*passed("a"), event("issueRecorded", ""))), "an issue without a test")
        self.assertFalse(self.passed(0, run(*passed("b"))), "it did not run")


class SuperviseTests(HarnessTests):
    def supervise(self, *command, stall="60"):
        command = [sys.executable, os.path.join(HERE, "supervise.py"), self.folder, "root", "60", *command]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                env=os.environ | {"ONSIDE_TEST_STALL": stall}, preexec_fn=heed_signals)

    def row(self, ended):
        """The part's row, as soon as it began or ended."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for row in report.read_parts(self.folder):
                if "status" in row or not ended:
                    return row
            time.sleep(0.02)
        self.fail("the part has no row")

    def test_status(self):
        self.assertEqual(self.supervise("sh", "-c", "exit 3").wait(20), 3)
        self.assertEqual((self.row(ended=True)["status"], self.row(ended=True)["reason"]), (3, None))

    def test_output_is_kept(self):
        self.supervise("sh", "-c", "echo out; echo error >&2; exit 3").wait(20)
        with open(os.path.join(self.folder, "root.out"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "out\nerror\n")

    def test_no_such_command(self):
        self.assertNotEqual(self.supervise("/no/such/command").wait(20), 0)
        self.assertIn("FileNotFoundError", self.row(ended=True)["reason"])

    def test_suite_that_writes_nothing(self):
        # The path stands only for the argument that says which stream is expected.
        path = os.path.join(self.folder, "root.jsonl")
        self.supervise("sh", "-c", "sleep 30", "--event-stream-output-path", path, stall="0").wait(20)
        self.assertIn("no test began", self.row(ended=True)["reason"])

    def test_signals(self):
        for kind in ("TERM", "HUP", "INT"):
            with self.subTest(kind):
                self.setUp()
                process = self.supervise("sleep", "30")
                self.row(ended=False)
                time.sleep(0.1)
                subprocess.run(["kill", f"-{kind}", str(process.pid)], check=True)
                self.assertNotEqual(process.wait(20), 0)
                self.assertIn("SystemExit", self.row(ended=True)["reason"])

    def test_parent_that_dies(self):
        script = '"$@" & until [ -s "$PARTS" ]; do sleep 0.02; done'
        command = [sys.executable, os.path.join(HERE, "supervise.py"), self.folder, "root", "60", "sleep", "30"]
        subprocess.run(["sh", "-c", script, "sh", *command], check=True, stdout=subprocess.DEVNULL, timeout=20,
                       env=os.environ | {"PARTS": os.path.join(self.folder, "parts.jsonl")})
        self.assertIn("script/test ended", self.row(ended=True)["reason"])


if __name__ == "__main__":
    unittest.main()
