package import OnsideAPI
package import OnsideCommerce

extension OrderState {
  /// The state of an order as its message tells it. A message does not tell that money has to go back: `owesRefund` is
  /// false.
  package init(_ message: OrderMessage) {
    let revocation = message.revokedAt.map { Revocation(date: $0, reason: message.revocationReason ?? .refund) }
    self.init(stage: message.state, finished: message.finished, revocation: revocation)
  }
}

extension OrderMessage {
  /// Writes a state into the message, except `owesRefund`, which a message does not tell.
  package mutating func apply(_ orderState: OrderState) {
    state = orderState.stage
    finished = orderState.finished
    revokedAt = orderState.revocation?.date
    revocationReason = orderState.revocation?.reason
  }

  /// The state that ``apply(_:)`` writes.
  package var orderState: OrderState {
    get { OrderState(self) }
    set { apply(newValue) }
  }
}
