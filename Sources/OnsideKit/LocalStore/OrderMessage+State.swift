package import OnsideAPI
package import OnsideCommerce

extension OrderMessage {
  /// The order's state as the message tells it. A message does not tell that money has to go back: `owesRefund` is
  /// false, and is lost when it is set.
  package var orderState: OrderState {
    get {
      let revocation = revokedAt.map { Revocation(date: $0, reason: revocationReason ?? .refund) }
      return OrderState(stage: state, finished: finished, revocation: revocation)
    }
    set {
      state = newValue.stage
      finished = newValue.finished
      revokedAt = newValue.revocation?.date
      revocationReason = newValue.revocation?.reason
    }
  }
}
