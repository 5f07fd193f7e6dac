#!/usr/bin/env python3
"""Writes an app's entitlements to SQLite, from the store's feed of events. It needs Python 3.9 alone.
  ONSIDE_API_KEY=onsk_... ./feed.py http://127.0.0.1:8080 grants.sqlite [--once: stops at the feed's end]
"""
import http.client
import json
import os
import sqlite3
import sys
import time
import urllib.parse
import urllib.request

SCHEMA = """
CREATE TABLE IF NOT EXISTS customers(subject TEXT PRIMARY KEY, user TEXT, sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS grants(
  subject TEXT, order_id TEXT, user TEXT, product TEXT, until TEXT, PRIMARY KEY (subject, order_id));
CREATE TABLE IF NOT EXISTS feed(id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT);
"""


def page(store, key, cursor, wait):
    """The next events of the feed. An empty page arrives after `wait` seconds."""
    query = {"types": "entitlement.changed,customer.removed", "wait": wait} | ({"after": cursor} if cursor else {})
    request = urllib.request.Request(f"{store}/merchant-api/v1/events?{urllib.parse.urlencode(query)}")
    request.add_header("Authorization", f"Bearer {key}")
    with urllib.request.urlopen(request, timeout=wait + 30) as response:
        return json.load(response)


def apply(database, event):
    """Replaces the grants of a customer, unless a newer event of the customer was applied before."""
    data = event["data"]
    subject, user = data["subject"], data["app_account_token"]
    changed = database.execute(
        "INSERT INTO customers VALUES (?, ?, ?) ON CONFLICT(subject) DO UPDATE SET user = excluded.user,"
        " sequence = excluded.sequence WHERE excluded.sequence > customers.sequence", (subject, user, data["sequence"]))
    if changed.rowcount == 0:
        return
    database.execute("DELETE FROM grants WHERE subject = ?", (subject,))
    for item in data["customer"]["entitlements"]:
        if not item.get("revocation_date"):
            database.execute("INSERT INTO grants VALUES (?, ?, ?, ?, ?)", (
                subject, item["order_id"], item.get("app_account_token"), item["product_id"],
                item.get("grace_until") or item.get("expires_at")))


def has_access(database, subject, product):
    """Whether a customer may use a product now. Times in the same form compare as texts."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    row = "SELECT 1 FROM grants WHERE subject = ? AND product = ? AND (until IS NULL OR until > ?)"
    return database.execute(row, (subject, product, now)).fetchone() is not None


def main(store, path, once):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    key = os.environ["ONSIDE_API_KEY"]
    while True:
        cursor = (database.execute("SELECT cursor FROM feed").fetchone() or [None])[0]
        try:
            found = page(store, key, cursor, wait=0 if once else 30)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if once or getattr(error, "code", 503) in (400, 401, 403):
                sys.exit(f"the feed cannot be read: {error}")
            time.sleep(5)
            continue
        if found["starts_over"]:
            # Customers that do not come again have to be checked: GET /merchant-api/v1/customers/{subject}
            print("the store has lost events; all customers of the store come again", file=sys.stderr)
        with database:  # one transaction: the grants and the cursor after them
            for event in found["events"]:
                apply(database, event)
            database.execute("INSERT OR REPLACE INTO feed VALUES (1, ?)", (found["cursor"],))
        if once and found["cursor"] == cursor:
            return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], once="--once" in sys.argv)
