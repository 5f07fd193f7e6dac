public import Foundation
public import OnsideCommerce
public import OnsideKit

/// A transaction as the session knows it: from the app that added it, and from the store that sold it.
public struct TestTransaction: Identifiable, Hashable, Sendable {
  /// The state of a transaction.
  public enum State: String, CaseIterable, Sendable {
    /// Under way: it is not known yet whether it is paid.
    case purchasing
    /// It waits for ``OnsideTestSession/approve(_:)`` or ``OnsideTestSession/decline(_:)``.
    case waiting
    /// Paid, and not delivered to an app yet.
    case paid
    /// Paid or restored, and delivered to an app, which has not finished it yet.
    case purchased
    /// The app has finished it, and the store knows.
    case finished
    /// It will never be paid.
    case failed
    /// Refunded.
    case refunded
  }

  /// The transaction's id, which is the store's order id.
  public let id: UUID
  /// The product that is bought.
  public let productIdentifier: String
  /// Its state.
  public internal(set) var state = State.purchasing
  /// The name of its account; nil until the store knows of it.
  public internal(set) var account: String?
  /// The number of units: those of the app's payment, and of the store's order.
  public internal(set) var quantity = 1
  /// The price of all units; nil until the store knows of it.
  public internal(set) var price: Money?
  /// Why it exists, as a signed history says it: a purchase, a renewal, or a change of plan.
  public internal(set) var reason = TransactionReason.purchase
  /// Whether the store renewed a subscription by it.
  public var isRenewal: Bool { reason == .renewal }
  /// When the subscription period that it paid for ends.
  public internal(set) var expirationDate: Date?
  /// How often it was delivered to an app as purchased.
  public internal(set) var timesDelivered = 0
  /// The transaction as it was last delivered to an app; nil if it never was.
  public internal(set) var delivered: OnsidePaymentTransaction?
  /// What happened to it and around it, in order.
  public internal(set) var steps: [StoryStep] = []
  /// The last step at the store.
  var atStore: StoryStep.Kind?

  init(id: UUID, productIdentifier: String) {
    self.id = id
    self.productIdentifier = productIdentifier
  }

  /// Every step as a line of text.
  public var story: String { steps.map { "  \($0)" }.joined(separator: "\n") }
}

extension TestTransaction: CustomStringConvertible {
  /// The product, the state, and the story.
  public var description: String { "\(productIdentifier) is \(state.rawValue) (\(id)):\n\(story)" }
}

extension TestTransaction.State {
  /// True unless a transaction in this state never reaches the other one.
  func canBecome(_ other: Self) -> Bool {
    switch self {
    case .purchasing, .waiting, .paid, .purchased: true
    case .finished: ![.purchasing, .waiting, .failed].contains(other)
    case .failed, .refunded: self == other
    }
  }
}
