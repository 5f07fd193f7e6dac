import Foundation

extension StripeState {
  /// Writes a movement of the balance down; returns its id.
  mutating func book(
    _ amount: Int64, fee: Int64, _ currency: String, type: String, category: String? = nil, source: String
  ) -> String {
    let transaction = BalanceTransaction(
      id: id("txn"), created: now, amount: amount, fee: fee, currency: currency, type: type,
      category: category ?? type, source: source)
    transactions[transaction.id] = transaction
    return transaction.id
  }

  /// What is not paid out yet, by currency.
  var unpaid: [String: Int64] {
    transactions.all.filter { $0.payout == nil }.reduce(into: [:]) { $0[$1.currency, default: 0] += $1.net }
  }

  var balance: JSON {
    let amounts = unpaid.sorted { $0.key < $1.key }.map { currency, amount -> JSON in
      ["amount": .number(amount), "currency": .text(currency), "source_types": ["card": .number(amount)]]
    }
    return ["object": "balance", "available": .list(amounts), "pending": [], "livemode": .bool(isLive)]
  }

  /// Sends the balance to the bank, a payout for each currency of which there is something.
  mutating func payOut() -> [String] {
    var made: [String] = []
    for (currency, amount) in unpaid.sorted(by: { $0.key < $1.key }) where amount > 0 {
      let id = id("po")
      let parts = transactions.all.filter { $0.payout == nil && $0.currency == currency }
      let transaction = book(-amount, fee: 0, currency, type: "payout", source: id)
      for part in parts.map(\.id) + [transaction] { transactions[part]?.payout = id }
      let payout = Payout(id: id, created: now, amount: amount, currency: currency, transaction: transaction)
      payouts[id] = payout
      tell("payout.created", of: payout.json(isLive: isLive))
      tell("payout.paid", of: payout.json(isLive: isLive))
      made.append(id)
    }
    return made
  }

  /// The bank sends a payout back.
  mutating func failPayout(_ id: String) throws(Refusal) {
    guard var payout = payouts[id], payout.status == "paid" else { throw .missing("payout that was paid", id: id) }
    payout.status = "failed"
    payouts[id] = payout
    _ = book(payout.amount, fee: 0, payout.currency, type: "payout_failure", source: id)
    tell("payout.failed", of: payout.json(isLive: isLive))
  }

  func charge(_ path: [String], form: Form) throws(Refusal) -> JSON {
    if path.count == 1 {
      try form.allow(Self.listParameters.union(["customer", "payment_intent"]))
      let (customer, payment) = (try form.text("customer"), try form.text("payment_intent"))
      let created = try form.range("created")
      let matching = charges.newest.filter {
        (customer == nil || $0.customer == customer) && (payment == nil || $0.payment == payment)
          && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "charges", id: \.id) { $0.json(isLive: isLive) }
    }
    guard let charge = charges[path[1]] else { throw .missing("charge", id: path[1]) }
    return charge.json(isLive: isLive)
  }

  func transaction(_ path: [String], form: Form) throws(Refusal) -> JSON {
    if path.count == 1 {
      try form.allow(Self.listParameters.union(["payout", "type", "source", "currency"]))
      let (payout, type, source) = (try form.text("payout"), try form.text("type"), try form.text("source"))
      let created = try form.range("created")
      let matching = transactions.newest.filter {
        (payout == nil || $0.payout == payout) && (type == nil || $0.type == type)
          && (source == nil || $0.source == source) && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "balance_transactions", id: \.id, json: \.json)
    }
    guard let transaction = transactions[path[1]] else { throw .missing("balance transaction", id: path[1]) }
    return transaction.json
  }

  func payout(_ path: [String], form: Form) throws(Refusal) -> JSON {
    if path.count == 1 {
      try form.allow(Self.listParameters.union(["status", "arrival_date"]))
      let (status, created) = (try form.text("status"), try form.range("created"))
      let matching = payouts.newest.filter {
        (status == nil || $0.status == status) && created($0.created.stripeTime)
      }
      return try list(matching, form: form, url: "payouts", id: \.id) { $0.json(isLive: isLive) }
    }
    guard let payout = payouts[path[1]] else { throw .missing("payout", id: path[1]) }
    return payout.json(isLive: isLive)
  }
}
