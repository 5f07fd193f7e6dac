import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Mails receipts to buyers whose account has an e-mail address: from the outbox, after the payment is committed.
struct ReceiptMailer: Sendable {
  /// The kind of its outbox rows.
  static let kind = "receipt.mail"

  /// What is in a row.
  private struct Receipt: Codable {
    let orderID: String
  }

  let dependencies: StoreDependencies
  let orders: OrderRecords
  let sender: any MessageSender
  /// The account page, where the receipt is found again.
  let accountAddress: URL

  /// Writes the row that lets the receipt of an order be mailed; false when its account has no address.
  @discardableResult
  static func request(_ order: Order, by outbox: OutboxRecords, in transaction: StoreTransaction) throws -> Bool {
    guard try mailbox(of: order.accountID, in: transaction) != nil else { return false }
    try outbox.add(
      kind, payload: try OutboxPayload.text(Receipt(orderID: order.id.lowercase)), due: transaction.now,
      in: transaction)
    return true
  }

  /// Mails the receipt of an order. The outbox may call it repeatedly.
  func send(_ payload: String) async throws {
    let receipt: Receipt = try OutboxPayload.value(payload)
    guard let id = UUID(text: receipt.orderID), let message = try await message(of: id) else { return }
    do {
      try await sender.send(message)
    } catch MessageFailure.refused(let reason) {
      try await giveUp(id, reason: reason)
    } catch MessageFailure.unclear(let reason) where !sender.recognisesRepeats {
      // It may be there already.
      try await giveUp(id, reason: reason)
    }
  }

  /// Records the rejection, so that the operator can have the receipt mailed again.
  private func giveUp(_ order: UUID, reason: String) async throws {
    dependencies.logger.warning(
      "a receipt is not mailed again", metadata: ["order": "\(order.lowercase)", "reason": "\(reason)"])
    try await dependencies.database.write(at: dependencies.clock.now()) {
      try ReceiptRecords.setRejection(reason, of: order, in: $0)
    }
  }

  /// The mail; nil when the account was removed meanwhile, or has no address any more.
  private func message(of id: UUID) async throws -> OutgoingMessage? {
    try await dependencies.database.read { [self] connection in
      guard let order = try orders.order(id, in: connection),
        let mailbox = try Self.mailbox(of: order.accountID, in: connection)
      else { return nil }
      let texts = Texts(order.language.flatMap(Language.init(rawValue:)) ?? .english)
      let facts = try ReceiptFacts(of: id, in: connection)
      return OutgoingMessage(
        id: "receipt-\(id.lowercase)", to: mailbox, code: "",
        subject: texts(.receiptMailSubject, ["store": dependencies.configuration.name]),
        text: try text(of: order, facts: facts, texts: texts))
    }
  }

  private func text(of order: Order, facts: ReceiptFacts, texts: Texts) throws -> String {
    let seller = dependencies.configuration.seller
    let tax = try facts.taxLines(of: order, texts: texts)
    let lines: [(String, String?)] = [
      (texts[.receiptProduct], order.product.message.title), (texts[.payQuantity], order.quantityText),
      (texts[.receiptAmount], order.priceText),
      (texts[.receiptNet], tax?.net), (tax?.label ?? "", tax?.amount),
      (texts[.receiptGivenBack], facts.givenBackText(of: order, texts: texts)),
      (texts[.receiptDate], texts.day(order.paidAt ?? order.createdAt, in: order.country)),
      (texts[.receiptEnds], order.expiresAt.map { texts.day($0, in: order.country) }),
      (texts[.receiptNumber], facts.number?.description),
      (texts[.receiptSeller], seller.line(orStore: dependencies.configuration.name)),
      (texts[.receiptSellerTax], seller.taxNumber), (texts[.receiptOrder], order.id.lowercase),
    ]
    let table = lines.compactMap { label, value in value.map { "\(label): \($0)" } }.joined(separator: "\n")
    return "\(texts[.receiptMailText])\n\n\(table)\n\n\(texts[.receiptMailFind])\n\(accountAddress.absoluteString)"
  }

  /// The account's e-mail address; of several, the one that was proved last.
  private static func mailbox(of account: String, in connection: any SQLConnection) throws -> Contact? {
    guard let account = try AccountID(account).flatMap({ try AccountRecords.account(id: $0, in: connection) }) else {
      return nil
    }
    return account.contacts.last { contact in
      if case .email = contact { true } else { false }
    }
  }
}
