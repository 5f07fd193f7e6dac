public import Foundation
public import OnsideCommerce
public import OnsideKit

/// A transaction as the session knows it: from the app that added it, and from the store that sold it.
public struct TestTransaction: Identifiable, Hashable, Sendable {
  /// Where a transaction stands.
  public enum State: String, CaseIterable, Sendable {
    /// On its way: nobody knows yet whether it is paid.
    case purchasing
    /// It waits for ``OnsideTestSession/approve(_:)`` or ``OnsideTestSession/decline(_:)``.
    case waiting
    /// Paid; no app knows of it yet.
    case paid
    /// Paid or restored, and given to an app, which has not finished it yet.
    case purchased
    /// The app has finished it, and the store knows.
    case finished
    /// It will never be paid.
    case failed
    /// Taken back.
    case refunded
  }

  /// The transaction's id, which is the store's order id.
  public let id: UUID
  /// What is bought.
  public let productIdentifier: String
  /// Where it stands.
  public internal(set) var state = State.purchasing
  /// Whose it is; nil until the store knows of it.
  public internal(set) var account: String?
  /// What is charged; nil until the store knows of it.
  public internal(set) var price: Money?
  /// Whether the store renewed a subscription by it.
  public internal(set) var isRenewal = false
  /// When the subscription period that it paid for ends.
  public internal(set) var expirationDate: Date?
  /// How often an app was given it as purchased.
  public internal(set) var timesDelivered = 0
  /// As an app was given it last; nil if none was.
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
