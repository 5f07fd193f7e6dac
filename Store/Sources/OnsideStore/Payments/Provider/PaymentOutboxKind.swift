/// The kinds of outbox rows for calls to payment providers, and for their notices.
enum PaymentOutboxKind {
  static let start = "payment.start"
  static let confirm = "payment.confirm"
  /// Charges a saved method for a subscription's next period, without the buyer.
  static let renew = "payment.renew"
  /// Cancels an unneeded charge.
  static let cancel = "payment.cancel"
  static let refund = "payment.refund"
  /// Ends an abandoned setup of a method.
  static let endSetup = "payment.end_setup"
  /// Removes a saved method.
  static let removeMethod = "payment.remove_method"
  /// Looks up the subject of a provider's notice.
  static let notice = "payment.notice"
  /// An event of the sandbox provider, which the store sends to itself.
  static let sandboxEvent = "sandbox.event"

  /// The most concurrent deliveries of a kind.
  static let concurrency = 16
  /// The same for kinds without a waiting buyer, because providers limit all calls together.
  static let backgroundConcurrency = 4
}

/// A notice of a provider that waits to be looked up.
struct WaitingNotice: Sendable, Codable {
  let provider: String
  let id: String
  let subject: String
}
