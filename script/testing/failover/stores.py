"""Processes of the store on the cluster's database, as an operator runs them."""
import asyncio
import os
import re
import signal
import socket
import subprocess

import login
import processes

# No limit of requests or of login codes is reached.
ENVIRONMENT = {
    "ONSIDE_LIMITS_CLIENT_RATE": "1000000", "ONSIDE_LIMITS_CLIENT_BURST": "1000000",
    "ONSIDE_LIMITS_ACCOUNT_RATE": "1000000", "ONSIDE_LIMITS_ACCOUNT_BURST": "1000000",
    "ONSIDE_LIMITS_UNPAID_ORDERS_PER_ACCOUNT": "1000000",
    "ONSIDE_CODES_PER_NETWORK": "10000", "ONSIDE_CODES_PER_RANGE": "10000", "ONSIDE_CODES_PER_DEVICE": "10000",
}
COUNT = 2


class Store:
    """One process, always on the same port."""

    def __init__(self, number, program, folder, environment):
        self.name = f"store {number}"
        self._program = program
        self._folder = folder
        self._environment = environment
        self.log = folder / f"store{number}.log"
        self.log.touch()
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self._process = None

    def start(self):
        starts = self._starts()
        self._process = processes.start(
            [self._program, "serve", "--port", str(self.port)], self.log, folder=self._folder,
            environment=self._environment)
        processes.wait_until(
            lambda: self._starts() > starts or self._process.poll() is not None, f"{self.name} to serve", 120)
        if self._process.poll() is not None:
            raise processes.Failure(f"expected {self.name} to serve, but it ended: {self.text()[-2000:]}")

    def text(self):
        return self.log.read_text(errors="replace")

    def _starts(self):
        return self.text().count("The store is open: ")

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def kill(self):
        self._process.kill()
        self._process.wait()

    def stop(self):
        """Stops it as an operator does; it has to end within a minute, with the status 0."""
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise processes.Failure(f"expected {self.name} to stop within 60 s: {self.text()[-2000:]}") from None
        if status:
            raise processes.Failure(f"expected {self.name} to end with 0, but: {status}: {self.text()[-2000:]}")


class Stores:
    def __init__(self, program, examples, folder, address):
        self._program = program
        self._folder = folder / "stores"
        self._folder.mkdir()
        self._environment = {**ENVIRONMENT, "ONSIDE_DATABASE": address}
        self._examples = examples
        self.all = [Store(number, program, self._folder, self._environment) for number in range(1, COUNT + 1)]

    def open(self):
        """Puts the example's products into the database and starts the processes."""
        self.command(
            "import", str(self._examples / "Shop.storekit"), "--prices", str(self._examples / "Shop.prices.json"),
            "--app", login.APP, "--name", "Lumen")
        for store in self.all:
            store.start()

    def command(self, *arguments):
        """What another command of the program prints."""
        done = subprocess.run(
            [self._program, *arguments], cwd=self._folder, env=self._environment_of_commands(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode:
            raise processes.Failure(f"expected `onside {arguments[0]}` to succeed, but: {done.stdout.strip()}")
        return done.stdout

    def require_mode(self):
        """SEC-6: a store does not start on another machine's database by an address without sslmode."""
        address = self._environment["ONSIDE_DATABASE"].removesuffix("&sslmode=disable")
        done = subprocess.run(
            [self._program, "serve", "--port", "0"], cwd=self._folder, text=True, timeout=60,
            env={**self._environment_of_commands(), "ONSIDE_DATABASE": address},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not done.returncode or "expected an explicit sslmode" not in done.stdout:
            raise processes.Failure(f"expected an address without sslmode to be rejected, but: {done.stdout.strip()}")

    def _environment_of_commands(self):
        return {**os.environ, **self._environment}

    async def code_for(self, phone):
        """The login code that a store has printed last for a phone."""
        for _ in range(600):
            for store in self.all:
                if found := re.findall(rf"code for {re.escape(phone)}.*?([0-9]{{6}})", store.text()):
                    return found[-1]
            await asyncio.sleep(0.05)
        raise processes.Failure(f"expected a login code for {phone} within 30 s")

    def stop(self):
        for store in self.all:
            store.stop()

    def kill(self):
        for store in self.all:
            if store.is_running():
                store.kill()
