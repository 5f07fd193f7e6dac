/// The kinds of outbox rows that go to payment providers, or come from them.
enum PaymentOutboxKind {
  static let start = "payment.start"
  static let confirm = "payment.confirm"
  /// A saved method is to be charged for a subscription's next period, without the buyer.
  static let renew = "payment.renew"
  /// A charge that nobody waits for any more is to be cancelled.
  static let cancel = "payment.cancel"
  static let refund = "payment.refund"
  /// Saving a method was begun, and is ended when nobody waits for it any more.
  static let endSetup = "payment.end_setup"
  /// A saved method is to be forgotten.
  static let removeMethod = "payment.remove_method"
  /// A provider has told of something that is to be looked up.
  static let notice = "payment.notice"
  /// An event of the sandbox, which the store sends to itself.
  static let sandboxEvent = "sandbox.event"

  /// How many rows of a kind go out at a time. What a provider tells may come in any order in any case.
  static let concurrency = 16
  /// How many of what no buyer waits for: providers limit all calls together.
  static let backgroundConcurrency = 4
}

/// A notice of a provider that waits to be looked up.
struct WaitingNotice: Sendable, Codable {
  let provider: String
  let id: String
  let subject: String
}
