"""Reads Swift Testing's event streams (`--event-stream-output-path`): which tests ran, failed, or never ended."""
import json
from dataclasses import dataclass, field


@dataclass
class Test:
    id: str
    name: str
    is_function: bool = False
    started: float | None = None
    ended: bool = False
    seconds: float = 0
    issues: list[str] = field(default_factory=list)

    @property
    def never_ended(self):
        return self.started is not None and not self.ended

    @property
    def failed(self):
        return bool(self.issues) or self.never_ended


def records(path):
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):  # a process that died leaves half a record
                    yield json.loads(line)
    except FileNotFoundError:
        return


def read(path):
    """The tests and suites of a stream, by id. Issues outside of every test stand under the id ''."""
    tests = {}
    for record in records(path):
        payload = record["payload"]
        if record["kind"] == "test":
            name = payload.get("displayName") or payload["name"]
            tests[payload["id"]] = Test(payload["id"], name, is_function=payload["kind"] == "function")
        elif record["kind"] == "event":
            apply(payload, tests)
    return tests


def apply(event, tests):
    kind, test_id = event["kind"], event.get("testID", "")
    if kind == "issueRecorded" and not event["issue"]["isKnown"]:
        texts = " ".join(message["text"] for message in event["messages"])
        tests.setdefault(test_id, Test(test_id, "outside of every test", is_function=True)).issues.append(texts)
    elif kind == "testStarted":
        tests[test_id].started = event["instant"]["absolute"]
    elif kind == "testEnded":
        tests[test_id].ended = True
    elif kind in ("testCaseStarted", "testCaseEnded"):
        # A test starts before its turn comes; a case starts in its turn.
        sign = 1 if kind == "testCaseEnded" else -1
        tests[test_id].seconds += sign * event["instant"]["absolute"]
