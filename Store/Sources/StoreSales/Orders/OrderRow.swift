import OnsideCommerce
import StoreBase

/// The columns of an order that are more than plain values.
struct OrderRow {
  let row: SQLRow

  func lease() throws(StorageError) -> DeliveryLease? {
    guard let device = try row.optionalText("held_by"), let date = try row.optionalDate("held_at") else { return nil }
    return DeliveryLease(device: device, seenAt: date)
  }

  func state() throws(StorageError) -> OrderState {
    guard let stage = OrderState.Stage(rawValue: try row.text("state")) else {
      throw .unexpectedValue(column: "state", expected: "open, processing, paid or cancelled")
    }
    return OrderState(
      stage: stage, finished: try row.optionalDate("finished_at") != nil, revocation: try revocation(),
      owesRefund: try row.bool("owes_refund"))
  }

  func revocation() throws(StorageError) -> Revocation? {
    guard let date = try row.optionalDate("revoked_at") else { return nil }
    return Revocation(date: date, reason: RevocationReason(rawValue: try row.optionalText("revocation_reason") ?? ""))
  }
}
