import Foundation
import StoreBaseTestSupport
import StripeDouble
import Synchronization

@testable import OnsideStore
@testable import StoreAccounts

/// The mailboxes of all subscribers behind one mail server. They know when a mail came or was refused, and what Stripe
/// had charged by then.
final class Mailbox: MessageSender {
  struct Mail: Sendable {
    let address: String
    let date: Date
    let subject: String
    /// The line that says what is charged, such as `€ 9,99 per month`.
    let price: String
    /// The payments that had succeeded before.
    let charged: Set<String>
    /// Why it did not arrive; nil when it did.
    let failure: MessageFailure?

    /// Whether it asks for an answer.
    var isQuestion: Bool { subject.contains("do you agree") }

    func tells(_ cents: Int64) -> Bool { price == Self.text(cents) || price.hasPrefix(Self.text(cents) + " ") }

    private static func text(_ cents: Int64) -> String {
      "€\u{00A0}\(cents / 100),\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }
  }

  /// What the mail server does with a mail.
  enum Behaviour: String, Sendable {
    case takes
    /// Asks to be tried later.
    case busy
    /// Refuses for good.
    case refuses
    /// Takes it, and its answer is lost.
    case silent
    /// Takes it, and loses it.
    case loses

    fileprivate var failure: MessageFailure? {
      switch self {
      case .takes, .loses: nil
      case .busy: .notAccepted("451")
      case .refuses: .refused("550")
      case .silent: .unclear("no answer")
      }
    }
  }

  private let stripe: StripeServerDouble
  private let clock: ManualClock
  private let state = Mutex((mails: [Mail](), behaviour: Behaviour.takes))

  init(_ stripe: StripeServerDouble, _ clock: ManualClock) { (self.stripe, self.clock) = (stripe, clock) }

  /// The mails that came or were refused, in this order.
  var mails: [Mail] { state.withLock { $0.mails } }

  var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  func send(_ message: OutgoingMessage) async throws {
    let behaviour = behaviour
    if behaviour != .loses, message.id.hasPrefix("subscription-") { keep(message, in: behaviour) }
    if let failure = behaviour.failure { throw failure }
  }

  private func keep(_ message: OutgoingMessage, in behaviour: Behaviour) {
    let line = message.text.split(separator: "\n").first { $0.hasPrefix("Price: ") }?.dropFirst("Price: ".count)
    let mail = Mail(
      address: message.to.text, date: clock.now(), subject: message.subject, price: line.map { String($0) } ?? "",
      charged: Set(stripe.payments.filter { $0.status == "succeeded" }.map(\.id)),
      failure: behaviour == .silent ? nil : behaviour.failure)
    state.withLock { $0.mails.append(mail) }
  }
}
