#!/usr/bin/env python3
"""Buys a product on a sandbox store's own pages: login by phone, the code from the store's log, payment by a test card.

buy.py ADDRESS APP PRODUCT PHONE LOG prints the order's id. LOG is a shell command that prints the store's log."""
import html.parser
import http.cookiejar
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request


class Forms(html.parser.HTMLParser):
    """The forms of a page: the address of each, and the values of its fields."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.found.append((values.get("action", ""), {}))
        elif tag == "input" and self.found and "name" in values:
            if values.get("type") not in ("radio", "checkbox") or "checked" in values:
                self.found[-1][1][values["name"]] = values.get("value", "")


class Browser:
    def __init__(self):
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def load(self, address, fields=None):
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        with self.opener.open(address, data, timeout=30) as answer:
            self.address, self.page = answer.geturl(), answer.read().decode()

    def submit(self, action, required, **fields):
        """Submits the form whose address matches the pattern `action` and that has the fields of `required`."""
        for address, values in Forms(self.page).found:
            if re.search(action, address or self.address) and required.items() <= values.items():
                return self.load(urllib.parse.urljoin(self.address, address), values | fields)
        sys.exit(f"expected a form for {action} at {self.address}, found: {Forms(self.page).found}")


def login_code(command, phone):
    for _ in range(100):
        log = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
        codes = re.findall(rf"onside code for {re.escape(phone)} ?: (\d+)", log)
        if codes:
            return codes[-1]
        time.sleep(0.2)
    sys.exit(f"expected a login code for {phone} in the store's log")


def main(address, app, product, phone, log):
    browser = Browser()
    browser.load(f"{address}/shop/{app}")
    browser.submit("/buy$", {"product_id": product})
    browser.submit("/login/", {}, phone=phone)
    browser.submit("/code$", {}, code=login_code(log, phone))
    browser.submit("/region$", {}, country="NL")
    browser.submit("/pay/", {}, card="succeeds")
    order = re.search(r"<dt>Order</dt><dd[^>]*>([0-9a-f-]{36})</dd>", browser.page)
    print(order[1] if order else sys.exit(f"expected the page of a paid order at {browser.address}"))


if __name__ == "__main__":
    main(*sys.argv[1:])
