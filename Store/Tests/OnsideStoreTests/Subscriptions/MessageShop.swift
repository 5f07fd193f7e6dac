import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// The shop of plans of ``PlanShop``, and an account that can be written to.
enum MessageShop {
  static let phone = "+31612345689"
  static let address = "ann@example.org"

  /// - Parameters:
  ///   - contacts: of the account, the oldest first.
  ///   - language: of its orders.
  ///   - fraction: of a second, by which the clock is off whole seconds.
  static func open(
    contacts: [String] = [address], sender: any MessageSender, language: String = "en",
    fraction: TimeInterval = 0, configure: (inout StoreConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    let start = try #require(RFC3339.date("2026-01-10T00:00:00Z"))
    let store = try await TestStore(clock: ManualClock(start + fraction), sender: sender) {
      $0.mail.sender = .console
      $0.seller.name = "Onside Example B.V."
      configure(&$0)
    }
    try await store.shop { shopper in
      try await store.core.catalogue.replace(try PlanShop.catalogue(), of: TestShop.app.id)
      let account = try #require(AccountID(shopper.accountID))
      try await store.core.dependencies.database.write(at: start) { transaction in
        for contact in contacts {
          let identity = Identity.contact(try #require(Contact(stored: contact)))
          _ = try AccountRecords.addIdentity(
            ProvedIdentity(identity: identity, label: nil, provedAt: transaction.now), to: account, in: transaction)
        }
      }
      try await body(shopper)
    }
  }

  /// Subscribes, with receipts left out of what is read afterwards.
  static func subscribed(
    to plan: String, contacts: [String] = [address], language: String = "en", fraction: TimeInterval = 0,
    _ body: @escaping @Sendable (Subscriber, Inbox) async throws -> Void
  ) async throws {
    let inbox = Inbox()
    try await open(contacts: contacts, sender: inbox, fraction: fraction) { shopper in
      let subscriber = try await shopper.subscribe(to: plan)
      try await subscriber.speak(language)
      try await body(subscriber, inbox)
    }
  }
}

extension Inbox {
  /// The messages about subscriptions.
  var notices: [OutgoingMessage] { messages.filter { $0.id.hasPrefix("subscription-") } }
}

extension Subscriber {
  /// What was told, the oldest first.
  func told() async throws -> [SubscriberMessage] {
    try await shopper.store.core.dependencies.database.read { [key] in
      try SubscriberMessageRecords.messages(of: key, in: $0)
    }
  }

  func kinds() async throws -> [SubscriptionNotice.Kind] { try await told().map(\.notice.kind) }

  func outcomes() async throws -> [SubscriberMessage.Outcome?] { try await told().map(\.outcome) }

  /// Gives its orders a language.
  func speak(_ language: String) async throws {
    try await shopper.store.core.dependencies.database.write {
      try $0.execute("UPDATE orders SET language = $1", [.text(language)])
    }
  }
}
