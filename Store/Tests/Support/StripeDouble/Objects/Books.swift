import Foundation

/// A movement of the balance.
struct BalanceTransaction: Sendable {
  let id: String
  let created: Date
  let amount: Int64
  let fee: Int64
  let currency: String
  /// `charge`, `refund`, `refund_failure`, `adjustment` or `payout`.
  let type: String
  let category: String
  let source: String
  /// The payout that it is part of.
  var payout: String?

  var net: Int64 { amount - fee }

  var json: JSON {
    [
      "id": .text(id), "object": "balance_transaction", "created": .time(created), "amount": .number(amount),
      "fee": .number(fee), "net": .number(net), "currency": .text(currency), "type": .text(type),
      "reporting_category": .text(category), "source": .text(source), "status": "available",
      "available_on": .time(created), "balance_type": "payments", "description": nil, "exchange_rate": nil,
      "fee_details": fee == 0
        ? []
        : [
          [
            "amount": .number(fee), "currency": .text(currency), "type": "stripe_fee", "application": nil,
            "description": "Stripe processing fees",
          ]
        ],
    ]
  }
}

/// Money that is sent to the bank.
struct Payout: Sendable {
  let id: String
  let created: Date
  let amount: Int64
  let currency: String
  let transaction: String
  var status = "paid"

  func json(isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "payout", "created": .time(created), "arrival_date": .time(created),
      "amount": .number(amount), "currency": .text(currency), "balance_transaction": .text(transaction),
      "status": .text(status), "automatic": true, "livemode": .bool(isLive), "metadata": [:], "method": "standard",
      "reconciliation_status": "completed", "source_type": "card", "type": "bank_account", "description": nil,
      "destination": nil, "failure_code": nil, "failure_message": nil, "statement_descriptor": nil,
    ]
  }
}
