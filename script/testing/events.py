"""Reads Swift Testing's event streams (`--event-stream-output-path`): tests that ran, failed, were skipped or hang."""
import json
from dataclasses import dataclass, field

# Seconds after the run's start. Tests of suites that are not serialized all start at once, long before they run. A test
# that starts later than this has waited in a serialized suite: its start is the time when it began to run.
LATE = 1
# The number of tests that are named even if they may not have been running: the stream of a hanging test without
# arguments has no more information.
FEW = 10
# The columns that the conformance program runs unless it is given others, by its database.
COLUMNS = {"sqlite": "L,S,W,B", "postgres": "P"}


@dataclass(eq=False)  # each is itself, also as a key
class Test:
    id: str
    name: str
    is_function: bool = False
    started: float | None = None
    ended: float | None = None
    began_late: bool = False
    # The reason for the skip.
    skipped: str | None = None
    # The start times of the cases that have not ended.
    open_cases: list[float] = field(default_factory=list)
    case_seconds: float | None = None
    issues: list[str] = field(default_factory=list)

    @property
    def ran(self):
        """Whether it counts as a test: suites and what is outside of every test do when something failed there."""
        return self.is_function and self.started is not None or bool(self.issues)

    @property
    def never_ended(self):
        return self.started is not None and self.ended is None

    @property
    def failed(self):
        return bool(self.issues) or self.never_ended

    @property
    def in_turn(self):
        """Whether a test that never ended is known to have run, and not to have waited for its turn."""
        return bool(self.open_cases) or self.began_late

    @property
    def seconds(self):
        """The running time, or None if unknown: only tests with arguments have events of their cases."""
        if self.case_seconds is None and self.began_late and self.ended is not None:
            return self.ended - self.started
        return self.case_seconds


@dataclass
class Stream:
    """A run. Issues outside of every test stand under the id ''."""
    tests: dict[str, Test] = field(default_factory=dict)
    started: float | None = None
    # A process that crashed wrote no end.
    ended: bool = False

    def test(self, test_id):
        # An unannounced id counts as a test, so that it is reported.
        unknown = Test(test_id, test_id or "outside of every test", is_function=test_id != "")
        return self.tests.setdefault(test_id, unknown)


def expected(command):
    """The streams that a command is to write, by its arguments. A part without any is no suite."""
    options = dict(zip(command, command[1:]))
    if path := options.get("--event-stream-output-path"):
        return [path]
    if prefix := options.get("--event-stream"):
        columns = options.get("--columns") or COLUMNS[options.get("--database", "sqlite")]
        return [f"{prefix}-{column}.jsonl" for column in columns.split(",")]
    return []


def at_work(never_ended):
    """Those of the tests that never ended which were at work, then the others if they are few, else their number."""
    first = [test for test in never_ended if test.in_turn]
    others = [test for test in never_ended if not test.in_turn]
    return (first + others, 0) if len(others) <= FEW else (first, len(others))


def records(path):
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if not line.endswith("\n"):  # a process that died leaves half a record
                    return
                try:
                    record = json.loads(line)
                except ValueError:  # two processes wrote: the stream has no end then
                    return
                yield record
    except FileNotFoundError:
        return


def read(path):
    stream = Stream()
    for record in records(path):
        payload = record["payload"]
        if record["kind"] == "test":
            name = payload.get("displayName") or payload["name"]
            stream.tests[payload["id"]] = Test(payload["id"], name, is_function=payload["kind"] == "function")
        elif record["kind"] == "event":
            apply(payload, stream)
    return stream


def apply(event, stream):
    kind, now = event["kind"], event["instant"]["absolute"]
    if kind == "runStarted":
        stream.started = now
    elif kind == "runEnded":
        stream.ended = True
    elif kind == "issueRecorded" and not event["issue"]["isKnown"]:
        stream.test(event.get("testID", "")).issues.append(text(event))
    elif kind == "testSkipped":
        # There is no field for the reason, nor for which trait it is of: `Test "name" skipped: "reason"`.
        stream.test(event["testID"]).skipped = text(event).partition(" skipped: ")[2].strip('"') or "no reason given"
    elif kind in ("testStarted", "testEnded", "testCaseStarted", "testCaseEnded"):
        apply_time(kind, now, stream.test(event["testID"]), stream)


def text(event):
    return " ".join(message["text"] for message in event["messages"])


def apply_time(kind, now, test, stream):
    if kind == "testStarted":
        test.started = now
        test.began_late = stream.started is not None and now - stream.started > LATE
    elif kind == "testEnded":
        test.ended = now
    elif kind == "testCaseStarted":
        test.open_cases.append(now)
    elif test.open_cases:
        # Cases have no ids here. For the sum it does not matter which of several running cases ended.
        test.case_seconds = (test.case_seconds or 0) + now - test.open_cases.pop(0)
