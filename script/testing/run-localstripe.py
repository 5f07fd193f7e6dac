"""Runs localstripe (PyPI), a fake of Stripe that is not of this project, on a free port of 127.0.0.1; prints the port.

It is of an older API. Two things of today's are added: the name of a parameter, which changed with 2026-09-30.endive, and
that a method that was saved belongs to the customer of its setup.
"""

import asyncio
import socket

from aiohttp import web
from localstripe import resources, server

# It would write everything to a file after each call.
resources.Store.dump_to_disk = lambda self: None

read = server.get_post_data


async def renamed(request, remove_auth=True):
    data = await read(request, remove_auth)
    if isinstance(data, dict) and "allowed_payment_method_types" in data:
        data["payment_method_types"] = data.pop("allowed_payment_method_types")
    return data


server.get_post_data = renamed

attach = resources.SetupIntent._attach_pm


def attached(self, method):
    attach(self, method)
    method.customer = self.customer


resources.SetupIntent._attach_pm = attached

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
web.run_app(server.app, sock=listener, print=None, shutdown_timeout=0, loop=asyncio.new_event_loop())
