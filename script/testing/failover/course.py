"""Runs the events, one after the other, under load."""
import itertools
import random
import time
import types

import processes

# How long purchases may stay away after an event.
RECOVERY = 180


class Course:
    def __init__(self, cluster, network, stores, load, journal, report):
        self._scene = types.SimpleNamespace(cluster=cluster, network=network, stores=stores)
        self._load = load
        self._journal = journal
        self._report = report

    def run(self, events):
        for event in events:
            if event.needs_cut and not self._scene.network.can_cut:
                self._report.leave_out(event.name, "it needs root and network namespaces")
                continue
            self._until_purchases_flow(time.monotonic())
            self._happen(event)
        self._until_purchases_flow(time.monotonic())

    def kill_stores(self, times):
        """Ends the stores in turn by kill -9, each at a random moment while the devices buy there."""
        moment = random.Random(times)
        start = time.monotonic()
        for store in itertools.islice(itertools.cycle(self._scene.stores.all), times):
            # The devices have left the store that was killed before, and buy at this one.
            self._until_purchases_flow(time.monotonic(), each=1)
            time.sleep(moment.uniform(0, 0.1))
            store.kill()
            store.start()
        self._until_purchases_flow(time.monotonic())
        end = time.monotonic()
        self._report.add(
            f"{times} times kill -9 of a store", "", self._journal.gap(start, end), end - start,
            self._journal.count_since(start))

    def _happen(self, event):
        start = time.monotonic()
        what, repair = event.strike(self._scene)
        self._until_purchases_flow(time.monotonic())
        time.sleep(max(0.0, start + event.lasts - time.monotonic()))
        if repair:
            repair()
            # What was away comes back, which may cause a gap of its own.
            self._until_purchases_flow(time.monotonic())
        self._scene.cluster.wait_until_whole()
        end = time.monotonic()
        acknowledgements = self._journal.count_since(start)
        self._report.add(event.name, what, self._journal.gap(start, end), end - start, acknowledgements)

    def _until_purchases_flow(self, since, each=3):
        """Until each device may have got a few answers that were asked for since."""
        enough = each * len(self._load.devices)
        processes.wait_until(
            lambda: self._journal.count_since(since) >= enough, f"{enough} acknowledgements after an event", RECOVERY)
