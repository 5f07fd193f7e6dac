"""What the devices asked for, and what the store has acknowledged to them, in a file and in memory."""
import time

STEPS = ("ordered", "paid", "finished")


class Journal:
    def __init__(self, file):
        self._file = open(file, "w", buffering=1, encoding="utf-8")
        # Each order that a device may have sent, with the device's number.
        self.intended = {}
        self.steps = {step: set() for step in STEPS}
        # When acknowledgements came, in the clock of gaps.
        self.times = []
        # Answers that did not know an acknowledged order.
        self.stale = 0

    def intend(self, order, device):
        self.intended[order] = device
        self._file.write(f"intended {order} {device}\n")

    def acknowledged(self, step, order):
        self.times.append(time.monotonic())
        self.steps[step].add(order)
        self._file.write(f"{step} {order}\n")

    def gap(self, start, end):
        """The longest time without an acknowledged step of any device, as far as it lies between start and end."""
        times = [each for each in self.times if each <= end]
        gaps = [later - max(earlier, start) for earlier, later in zip(times, times[1:]) if later > start]
        return max([*gaps, end - max(times[-1], start)] if times else [end - start])

    def count_since(self, start):
        return sum(1 for each in reversed(self.times) if each >= start)
