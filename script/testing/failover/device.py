"""An app on a device that buys without pause, and writes down each step that the store has acknowledged."""
import asyncio
import json
import os
import time
import urllib.parse
import uuid

import login
import processes
from balancer import Refused
from person import Person

PRODUCT = "coins_100"


def new_id():
    """A UUID of version 7, as the SDK makes them."""
    random = int.from_bytes(os.urandom(10), "big")
    value = (int(time.time() * 1000) << 80) | (random & ((1 << 80) - 1))
    value = value & ~(0xF << 76) | (7 << 76)
    return str(uuid.UUID(int=value & ~(3 << 62) | (2 << 62)))


class Device:
    def __init__(self, number, balancer, journal):
        self.number = number
        self._balancer = balancer
        self._journal = journal
        self._tokens = None

    async def log_in(self, code_for):
        self._tokens = await login.log_in(self._balancer, self.number, code_for)

    async def buy(self):
        """One purchase: order, payment on the page, finish."""
        order = new_id()
        self._journal.intend(order, self.number)
        body = json.dumps({"product_id": PRODUCT, "country": login.COUNTRY, "quantity": 1, "language": "en"}).encode()
        await self._send("POST", "/v1/orders", body, [("Idempotency-Key", order)])
        self._journal.acknowledged("ordered", order)
        await self._pay(order)
        self._journal.acknowledged("paid", order)
        await self._send("POST", f"/v1/orders/{order}/finish")
        self._journal.acknowledged("finished", order)

    async def _pay(self, order):
        """Pays until the order says that it is paid."""
        end = time.monotonic() + 300
        while time.monotonic() < end:
            state = await self.order(order)
            if state["state"] == "paid":
                return
            if state["state"] not in ("open", "processing"):
                break
            # While the payment is with the provider there is no page.
            if "payment_url" not in state:
                await asyncio.sleep(0.2)
                continue
            person = Person(self._balancer)
            # A payment whose answer was lost: the page is gone, or says that it is too late.
            page = await person.open(urllib.parse.urlsplit(state["payment_url"]).path, accepts=(404, 409, 410))
            if form := page.form("method"):
                await person.submit(form, "card_succeeds", accepts=(404, 409, 410))
            else:
                await asyncio.sleep(0.2)
        raise processes.Failure(f"expected the order {order} to be paid within 300 s; it is {state['state']}")

    async def order(self, order):
        """What the store says of an acknowledged order. A primary that has just been thawed may answer with old data."""
        for _ in range(40):
            answer = await self._send("GET", f"/v1/orders/{order}", accepts=(404,))
            if answer.status != 404:
                return json.loads(answer.text)
            self._journal.stale += 1
            await asyncio.sleep(0.5)
        raise Refused(answer, f"GET /v1/orders/{order}")

    async def _send(self, method, target, body=b"", headers=(), accepts=()):
        for _ in range(3):
            given = [("Authorization", f"Bearer {self._tokens['access_token']}"), *headers]
            if body:
                given.append(("Content-Type", "application/json"))
            answer = await self._balancer.send(method, target, given, body, accepts=(401, *accepts))
            if answer.status != 401:
                return answer
            self._tokens = await login.tokens(
                self._balancer, {"grant_type": "refresh_token", "refresh_token": self._tokens["refresh_token"]})
        raise Refused(answer, f"{method} {target}")
