"""Compares what was acknowledged with what the store and its books have in the end."""
import json

import processes

# One row of JSON for each order, as the tables have it.
ORDERS = """
SELECT json_build_object('id', o.id, 'state', o.state, 'finished', o.finished_at IS NOT NULL,
  'sales', (SELECT count(*) FROM ledger l WHERE l.order_id = o.id AND l.kind = 'sale'),
  'payments', (SELECT count(*) FROM payments p WHERE p.order_id = o.id AND p.state = 'succeeded'))
FROM orders o
"""


class Audit:
    """What is lost and what is doubled; each list is empty when all is well."""

    def __init__(self, journal, load, stores, primary, database):
        self._steps = journal.steps
        self._intended = journal.intended
        self.lost = []
        self.doubled = []
        self.books = []
        self._compare_tables(primary.psql(ORDERS, database))
        self._compare_answers(load.orders({order: journal.intended[order] for order in journal.steps["ordered"]}))
        self._reconcile(stores)

    def _compare_tables(self, text):
        rows = {row["id"]: row for row in map(json.loads, text.splitlines())}
        for order in self._steps["ordered"] - rows.keys():
            self.lost.append(f"order {order} was acknowledged and is not in the tables")
        for order, row in rows.items():
            if order not in self._intended:
                self.doubled.append(f"order {order} was made, but no device asked for it")
            if order in self._steps["paid"] and row["sales"] == 0:
                self.lost.append(f"the payment of order {order} was acknowledged and is not in the books")
            if row["sales"] > 1 or row["payments"] > 1:
                self.doubled.append(f"order {order} has {row['sales']} sales and {row['payments']} payments")

    def _compare_answers(self, answers):
        for order, answer in answers.items():
            if isinstance(answer, Exception):
                self.lost.append(f"order {order} was acknowledged; now: {answer}")
                continue
            if order in self._steps["paid"] and answer["state"] != "paid":
                self.lost.append(f"the payment of order {order} was acknowledged; now it is {answer['state']}")
            if order in self._steps["finished"] and not answer["finished"]:
                self.lost.append(f"the finish of order {order} was acknowledged; now it is not finished")

    def _reconcile(self, stores):
        try:
            text = stores.command("doctor")
        except processes.Failure as error:
            text = str(error)
        if "ledger: the books agree with orders and payments" not in text:
            self.books.append(text)

    def is_clean(self):
        return not (self.lost or self.doubled or self.books)
