"""The table that script/failover prints."""
import sys


class Report:
    WIDTHS = (38, 12, 8, 11, 12)

    def __init__(self):
        self._print("event", "what", "gap", "until whole", "acknowledged")

    def _print(self, *columns):
        print("  ".join(str(column).ljust(width) for column, width in zip(columns, self.WIDTHS)).rstrip(), flush=True)

    def add(self, name, what, gap, whole, acknowledged):
        self._print(name, what, f"{gap:.1f} s", f"{whole:.0f} s", acknowledged)

    def leave_out(self, name, reason):
        print(f"{name.ljust(self.WIDTHS[0])}  LEFT OUT: {reason}", flush=True)

    def conclude(self, journal, audit, faults, failures):
        counts = ", ".join(f"{len(found)} {step}" for step, found in journal.steps.items())
        print(f"\nacknowledged: {counts}")
        print("repeated by the devices after:", ", ".join(f"{key} ({n})" for key, n in failures.most_common()) or "-")
        for title, found in (("lost", audit.lost), ("doubled", audit.doubled), ("refused", faults)):
            print(f"{title}: {len(found)}")
            for line in found[:20]:
                print(f"  {line}", file=sys.stderr)
        print(f"answers with old data, repeated by the devices: {journal.stale}")
        print("reconciliation:", "clean" if not audit.books else "NOT CLEAN")
        for text in audit.books:
            print(text, file=sys.stderr)
