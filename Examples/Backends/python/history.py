#!/usr/bin/env python3
"""Verifies a history or a list of entitlements that an app has sent (JWS, ES256). It needs python3-cryptography.

  ./history.py https://store.example io.example.lumen <document     prints the payload, or exits with 1
"""
import base64
import json
import sys
import time
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

LIST = "onside-entitlements+jwt"  # typ of a list of entitlements; a history has none
LIFETIME = 300  # seconds of the cached keys
PAUSE = 30  # seconds between two requests for unknown keys


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Keys:
    """The store's keys, fetched once, and again for an unknown key."""

    def __init__(self, store):
        self.address, self.known, self.fetched = f"{store}/.well-known/jwks.json", {}, float("-inf")

    def key(self, id):
        age = time.monotonic() - self.fetched
        if age >= (PAUSE if id not in self.known else LIFETIME):
            with urllib.request.urlopen(self.address, timeout=10) as response:
                found = [key for key in json.load(response)["keys"] if key["kty"] == "EC" and key["crv"] == "P-256"]
            self.known, self.fetched = {key["kid"]: self.public(key) for key in found}, time.monotonic()
        return self.known.get(id)

    @staticmethod
    def public(key):
        x, y = (int.from_bytes(decode(key[name]), "big") for name in "xy")
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


def verify(document, keys, app, type=None, environment="PRODUCTION"):
    """The payload of a document; ValueError for a document that is not genuine, or of another app."""
    header, payload, signature = document.strip().split(".")
    fields, raw = json.loads(decode(header)), decode(signature)
    if fields["alg"] != "ES256" or fields.get("typ") != type or "crit" in fields or len(raw) != 64:
        raise ValueError(f"expected ES256 and the type {type}, got {fields}")
    key = keys.key(fields["kid"])
    if key is None:
        raise ValueError(f"the store has no key {fields['kid']}")
    pair = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        key.verify(pair, f"{header}.{payload}".encode(), ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise ValueError("the signature is wrong") from None
    found = json.loads(decode(payload))
    for item in [found] if type == LIST else found["transactions"]:
        if item["bundle_id"] != app or item.get("environment") != environment:
            raise ValueError(f"expected {app} in {environment}, got {item['bundle_id']} in {item.get('environment')}")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    if type == LIST and found["valid_until"] <= now:
        raise ValueError(f"the list was valid until {found['valid_until']}")
    return found


if __name__ == "__main__":
    text = sys.stdin.read()
    kind = json.loads(decode(text.split(".")[0])).get("typ")
    try:
        print(json.dumps(verify(text, Keys(sys.argv[1]), sys.argv[2], LIST if kind else None, *sys.argv[3:])))
    except (ValueError, KeyError) as error:
        sys.exit(f"not genuine: {error}")
