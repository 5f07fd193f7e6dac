/// The kinds of outbox rows for calls to payment providers, and for their notices.
package enum PaymentOutboxKind {
  package static let start = "payment.start"
  package static let confirm = "payment.confirm"
  /// Charges a saved method for a subscription's next period, without the buyer.
  package static let renew = "payment.renew"
  /// Cancels an unneeded charge.
  package static let cancel = "payment.cancel"
  package static let refund = "payment.refund"
  /// Ends an abandoned setup of a method.
  package static let endSetup = "payment.end_setup"
  /// Removes a saved method.
  package static let removeMethod = "payment.remove_method"
  /// Looks up the subject of a provider's notice.
  package static let notice = "payment.notice"
  /// An event of the sandbox provider, which the store sends to itself.
  package static let sandboxEvent = "sandbox.event"

  /// The most concurrent deliveries of a kind.
  package static let concurrency = 16
  /// The same for kinds without a waiting buyer, because providers limit all calls together.
  package static let backgroundConcurrency = 4
}

/// A notice of a provider that waits to be looked up.
package struct WaitingNotice: Sendable, Codable {
  package let provider: String
  package let id: String
  package let subject: String

  package init(provider: String, id: String, subject: String) {
    self.provider = provider
    self.id = id
    self.subject = subject
  }
}
