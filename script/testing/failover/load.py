"""Devices that buy without pause, in a thread of their own, while the events happen."""
import asyncio
import threading
import traceback

import processes
from balancer import Balancer, Refused
from device import Device


class Load:
    def __init__(self, count, stores, journal):
        self._count = count
        self._stores = stores
        self._journal = journal
        self._stopping = False
        self.devices = []
        # What a device met that it may not meet.
        self.faults = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._buying = []

    def start(self):
        """Logs the devices in, and has them buy."""
        self._thread.start()
        self._run(self._log_in())
        self._buying = [asyncio.run_coroutine_threadsafe(self._buy(device), self._loop) for device in self.devices]

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _log_in(self):
        ports = [store.port for store in self._stores.all]
        self.devices = [Device(number, Balancer(ports, number), self._journal) for number in range(self._count)]
        # A few at a time, as the store limits what logins cost.
        gate = asyncio.Semaphore(8)

        async def log_in(device):
            async with gate:
                await device.log_in(self._stores.code_for)

        await asyncio.gather(*map(log_in, self.devices))

    async def _buy(self, device):
        while not self._stopping:
            try:
                await device.buy()
            except Exception as error:  # noqa: BLE001 — everything that a device meets is a finding
                is_told = isinstance(error, (Refused, processes.Failure))
                reason = error if is_told else traceback.format_exc()
                self.faults.append(f"device {device.number}: {reason}")
                await asyncio.sleep(1)

    def stop(self):
        """Lets each device finish its purchase."""
        self._stopping = True
        for each in self._buying:
            each.result(600)

    def orders(self, ids):
        """What the store says to the devices about their orders: a dictionary, with the error where it says none."""
        return self._run(self._orders(ids))

    async def _orders(self, ids):
        answers = {}
        waiting = {device.number: [] for device in self.devices}
        for order, number in ids.items():
            waiting[number].append(order)

        async def ask(device):
            for order in waiting[device.number]:
                try:
                    answers[order] = await device.order(order)
                except Exception as error:  # noqa: BLE001
                    answers[order] = error

        await asyncio.gather(*map(ask, self.devices))
        return answers
