"""Requests to whichever store process answers, repeated as a device repeats them."""
import asyncio
import collections
import random

import processes
from wire import Lost, Wire

# A device would go on for days; a test says that a store does not come back.
PATIENCE = 240


class Refused(Exception):
    """An answer after which repeating is of no use."""

    def __init__(self, answer, request):
        super().__init__(f"{request} was answered with {answer.status}: {answer.text[:300]}")
        self.status = answer.status


class Balancer:
    """One client's way to the stores. It stays with one until that one fails."""

    failures = collections.Counter()

    def __init__(self, ports, number):
        self._wires = [Wire(port) for port in ports]
        self._chosen = number % len(ports)
        self._random = random.Random(number)

    async def send(self, method, target, headers=(), body=b"", accepts=()):
        """The answer, if it is a success or a redirect, or of a status that the caller accepts."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while True:
            try:
                answer = await self._wires[self._chosen].send(method, target, headers, body)
                if answer.status < 400 or answer.status in accepts:
                    return answer
                if answer.status not in (429, 500, 502, 503, 504):
                    raise Refused(answer, f"{method} {target}")
                # 500 is no answer for a device, which repeats it; the report shows it.
                problem = str(answer.status)
            except Lost as error:
                problem = str(error)
            self.failures[problem] += 1
            if asyncio.get_running_loop().time() > end:
                raise processes.Failure(f"expected an answer to {method} {target} in {PATIENCE} s, the last: {problem}")
            self._chosen = (self._chosen + 1) % len(self._wires)
            await asyncio.sleep(self._random.uniform(0.05, 0.4))
