import Foundation
import StripeDouble
import Synchronization

@testable import OnsideStore

/// The mailboxes of all subscribers, which know when a mail came, and what Stripe had charged by then.
final class Mailbox: MessageSender {
  struct Mail: Sendable {
    let address: String
    let date: Date
    let subject: String
    /// The line that says what is charged, such as `€ 9,99 per month`.
    let price: String
    /// The payments that had succeeded before.
    let charged: Set<String>
    /// Whether it was refused for good.
    let isRefused: Bool

    /// Whether it asks for an answer.
    var isQuestion: Bool { subject.contains("do you agree") }

    func tells(_ cents: Int64) -> Bool { price == Self.text(cents) || price.hasPrefix(Self.text(cents) + " ") }

    private static func text(_ cents: Int64) -> String {
      "€\u{00A0}\(cents / 100),\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }
  }

  private let stripe: StripeServerDouble
  private let clock: ManualClock
  private let state = Mutex((mails: [Mail](), isSilent: false, isRefusing: false))

  init(_ stripe: StripeServerDouble, _ clock: ManualClock) { (self.stripe, self.clock) = (stripe, clock) }

  /// The mails that came.
  var mails: [Mail] { state.withLock { $0.mails.filter { !$0.isRefused } } }

  /// The mails that came, and those that were refused.
  var tries: [Mail] { state.withLock { $0.mails } }

  /// Whether mails are accepted and lost.
  var isSilent: Bool {
    get { state.withLock { $0.isSilent } }
    set { state.withLock { $0.isSilent = newValue } }
  }

  /// Whether mails are refused for good.
  var isRefusing: Bool {
    get { state.withLock { $0.isRefusing } }
    set { state.withLock { $0.isRefusing = newValue } }
  }

  func send(_ message: OutgoingMessage) async throws {
    guard message.id.hasPrefix("subscription-") else { return }
    let line = message.text.split(separator: "\n").first { $0.hasPrefix("Price: ") }?.dropFirst("Price: ".count)
    let isRefused = isRefusing
    let mail = Mail(
      address: message.to.text, date: clock.now(), subject: message.subject, price: line.map { String($0) } ?? "",
      charged: Set(stripe.payments.filter { $0.status == "succeeded" }.map(\.id)), isRefused: isRefused)
    state.withLock { if !$0.isSilent { $0.mails.append(mail) } }
    if isRefused { throw MessageFailure.refused("550") }
  }
}
