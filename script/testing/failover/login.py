"""A login on the store's pages: phone number, code, region, and the exchange of the authorization code."""
import base64
import hashlib
import json
import secrets
import urllib.parse

import processes
from person import Person

APP = "io.example.lumen"
COUNTRY = "NL"
REDIRECT = "http://127.0.0.1:9/callback"


def phone(number):
    """Numbers in ranges small enough for the store's limits of codes."""
    return f"+3161{number % 8}{234000 + number // 8:06}"


async def log_in(balancer, number, code_for):
    """The tokens of a new account. `code_for` gives the code that was sent to a phone."""
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = urllib.parse.urlencode({
        "response_type": "code", "client_id": APP, "redirect_uri": REDIRECT, "state": "failover",
        "code_challenge": challenge, "code_challenge_method": "S256"})
    person = Person(balancer)
    page = await person.open(f"/oauth/authorize?{query}")
    for _ in range(8):
        if page.location:
            code = urllib.parse.parse_qs(urllib.parse.urlsplit(page.location).query)["code"][0]
            return await tokens(balancer, {
                "grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": REDIRECT})
        form = page.form("phone", "code", "country")
        if not form:
            break
        values = {"phone": phone(number), "country": COUNTRY}
        value = await code_for(phone(number)) if form[2] == "code" else values[form[2]]
        page = await person.submit(form, value)
    raise processes.Failure(f"expected the end of a login, got the page: {page.text[:500]}")


async def tokens(balancer, fields):
    """What the token endpoint gives."""
    body = urllib.parse.urlencode({**fields, "client_id": APP}).encode()
    answer = await balancer.send("POST", "/oauth/token", [("Content-Type", "application/x-www-form-urlencoded")], body)
    return json.loads(answer.text)
