import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StoreWeb

/// Sends the messages about subscriptions from the outbox: to the account's e-mail address, or as a text message when
/// it has a phone number only. Each is looked at again before, and handed to its sender once.
package struct SubscriberMessenger: Sendable {
  /// The kind of its outbox rows.
  package static let kind = "subscription.message"

  /// What is in a row.
  struct Row: Codable {
    let message: String
  }

  /// A message on its way.
  private struct Delivery: Sendable {
    /// The ``SubscriberMessage``'s id.
    let id: String
    let message: OutgoingMessage
    let sender: any MessageSender
  }

  package let dependencies: BaseDependencies
  package let senders: MessageSenders
  package let storeName: String
  package let seller: SellerConfiguration
  package let orders: OrderRecords
  package let apps: AppDirectory
  package let address: PublicAddress

  package init(
    dependencies: BaseDependencies, senders: MessageSenders, storeName: String, seller: SellerConfiguration,
    orders: OrderRecords, apps: AppDirectory, address: PublicAddress
  ) {
    self.dependencies = dependencies
    self.senders = senders
    self.storeName = storeName
    self.seller = seller
    self.orders = orders
    self.apps = apps
    self.address = address
  }

  /// Sends a message. The outbox may call it repeatedly.
  package func send(_ payload: String) async throws {
    let row: Row = try OutboxPayload.value(payload)
    guard let delivery = try await prepare(row.message) else { return }
    do {
      try await delivery.sender.send(delivery.message)
    } catch MessageFailure.refused(let reason) {
      return try await giveUp(delivery, as: .refused, because: reason)
    } catch MessageFailure.unclear(let reason) where !delivery.sender.recognisesRepeats {
      return try await giveUp(delivery, as: .unclear, because: reason)
    } catch {
      try await write { try SubscriberMessageRecords.setTried(false, row.message, in: $0) }
      throw error
    }
    try await end(delivery, as: .sent)
  }

  /// Looks at a message again, and writes that it is being sent; nil when it is not to be sent.
  private func prepare(_ id: String) async throws -> Delivery? {
    try await write { [self] transaction -> Delivery? in
      guard let message = try SubscriberMessageRecords.message(id, in: transaction), message.outcome == nil
      else { return nil }
      let subscription = try SubscriptionRecords.subscription(message.key, in: transaction)
      guard let subscription, message.isTrue(of: subscription.machine),
        try !isLate(message, to: subscription, in: transaction),
        let facts = try SubscriberMessageFacts.read(message, of: subscription, orders: orders, in: transaction)
      else {
        try drop(
          message, of: subscription,
          in: transaction.at(timeOf: message.key.account, in: dependencies.environment))
        return nil
      }
      guard let (contact, sender) = try receiver(message.key.account, in: transaction) else {
        try SubscriberMessageRecords.end(id, as: .unreachable, in: transaction)
        return nil
      }
      if message.triedAt != nil, !sender.recognisesRepeats {
        try SubscriberMessageRecords.end(id, as: .unclear, address: contact.masked, in: transaction)
        return nil
      }
      try SubscriberMessageRecords.setTried(true, id, in: transaction)
      return Delivery(id: id, message: words(facts).message(to: contact), sender: sender)
    }
  }

  /// A Boolean value that indicates whether a message about a rise would be sent later than its notice.
  private func isLate(
    _ message: SubscriberMessage, to subscription: StoredSubscription, in transaction: StoreTransaction
  ) throws -> Bool {
    let change = try message.priceChange.flatMap { try PriceChangeRecords.change($0, in: transaction) }
    guard let change, let deadline = try change.messageDeadline(for: subscription.machine, in: transaction)
    else { return false }
    return try transaction.at(timeOf: message.key.account, in: dependencies.environment).now > deadline
  }

  /// Ends a message that is not true any more. When it becomes true again, it is told.
  private func drop(
    _ message: SubscriberMessage, of subscription: StoredSubscription?, in transaction: StoreTransaction
  ) throws {
    try SubscriberMessageRecords.end(message.id, as: .dropped, in: transaction)
    guard var subscription else { return }
    if !message.isTrue(of: subscription.machine) {
      subscription.told.remove(message)
    } else if subscription.machine.openCharge == nil, let change = try subscription.pendingChange(in: transaction),
      change.id == message.priceChange, change.answer == nil
    {
      // Too late for its notice: the next period has the price before.
      try subscription.deferPrice(in: transaction)
    } else {
      // One whose facts are missing would be told and dropped for ever.
      return
    }
    try SubscriptionRecords.save(subscription, in: transaction)
  }

  private func words(_ facts: SubscriberMessageFacts) -> SubscriberMessageWords {
    let app = facts.message.key.app
    return SubscriberMessageWords(
      facts: facts, store: storeName, seller: seller.line(orStore: storeName),
      app: apps.app(app)?.name ?? app,
      link: address.url(path: SubscriptionPageRoutes.Place(facts.message.key).path()).absoluteString)
  }

  /// Where an account is reached: at the e-mail address that was proved last, else at its phone, when the gateway can
  /// send texts.
  private func receiver(
    _ account: String, in connection: any SQLConnection
  ) throws -> (Contact, any MessageSender)? {
    guard let id = AccountID(account), let account = try AccountRecords.account(id: id, in: connection) else {
      return nil
    }
    if let mail = senders.email, let address = account.contacts.last(where: \.isEmail) { return (address, mail) }
    guard let phone = senders.phone, phone.takesText,
      let number = account.contacts.last(where: { !$0.isEmail })
    else { return nil }
    return (number, phone)
  }

  private func giveUp(
    _ delivery: Delivery, as outcome: SubscriberMessage.Outcome, because reason: String
  ) async throws {
    dependencies.logger.warning(
      "a message about a subscription is not sent again",
      metadata: ["id": "\(delivery.id)", "reason": "\(reason)"])
    try await end(delivery, as: outcome)
  }

  private func end(_ delivery: Delivery, as outcome: SubscriberMessage.Outcome) async throws {
    let (id, address) = (delivery.id, delivery.message.to.masked)
    try await write { try SubscriberMessageRecords.end(id, as: outcome, address: address, in: $0) }
  }

  private func write<Result: Sendable>(
    _ body: @escaping @Sendable (StoreTransaction) throws -> Result
  ) async throws -> Result {
    try await dependencies.database.write(at: dependencies.clock.now(), body)
  }
}
