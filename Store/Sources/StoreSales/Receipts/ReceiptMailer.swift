package import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase
import StoreWeb

/// Mails receipts to buyers whose account has an e-mail address: from the outbox, after the payment is committed.
package struct ReceiptMailer: Sendable {
  /// The kind of its outbox rows.
  package static let kind = "receipt.mail"

  /// What is in a row.
  private struct Receipt: Codable {
    let orderID: String
    /// Suffix of the message id, so that a gateway does not drop the second mail; nil for the first.
    var repeatID: String?
  }

  package let dependencies: BaseDependencies
  package let storeName: String
  package let seller: SellerConfiguration
  package let orders: OrderRecords
  package let sender: any MessageSender
  package let sequencer: Sequencer
  /// The account page, where the receipt is found again.
  package let accountAddress: URL

  package init(
    dependencies: BaseDependencies, storeName: String, seller: SellerConfiguration, orders: OrderRecords,
    sender: any MessageSender, sequencer: Sequencer, accountAddress: URL
  ) {
    self.dependencies = dependencies
    self.storeName = storeName
    self.seller = seller
    self.orders = orders
    self.sender = sender
    self.sequencer = sequencer
    self.accountAddress = accountAddress
  }

  /// Writes the row that lets the receipt of an order be mailed; false when its account has no address.
  ///
  /// - Parameter repeatID: unique, for a receipt that is mailed again.
  @discardableResult
  static func request(
    _ order: Order, repeatID: String? = nil, by outbox: OutboxRecords, in transaction: StoreTransaction
  ) throws -> Bool {
    guard try mailbox(of: order.accountID, in: transaction) != nil else { return false }
    let receipt = Receipt(orderID: order.id.lowercase, repeatID: repeatID)
    try outbox.add(kind, payload: try OutboxPayload.text(receipt), due: transaction.now, in: transaction)
    return true
  }

  /// Whether a mail with the receipt of an order waits.
  static func isWaiting(_ order: UUID, in connection: any SQLConnection) throws -> Bool {
    try OutboxRecords().contains(kind, with: order.lowercase, in: connection)
  }

  /// Mails the receipt of an order. The outbox may call it repeatedly.
  package func send(_ payload: String) async throws {
    let receipt: Receipt = try OutboxPayload.value(payload)
    guard let id = UUID(text: receipt.orderID) else { return }
    try await sequencer.numberReceipt(of: id)
    guard let message = try await message(of: id, repeatID: receipt.repeatID) else { return }
    do {
      try await sender.send(message)
      if receipt.repeatID != nil { await record(nil, of: id) }
    } catch MessageFailure.refused(let reason) {
      await giveUp(id, reason: reason)
    } catch MessageFailure.unclear(let reason) where !sender.recognisesRepeats {
      // It may be there already.
      await giveUp(id, reason: reason)
    }
  }

  private func giveUp(_ order: UUID, reason: String) async {
    dependencies.logger.warning(
      "a receipt was not delivered", metadata: ["order": "\(order.lowercase)", "reason": "\(reason)"])
    await record(reason, of: order)
  }

  /// Records the failure of a mail, or with nil its delivery. An error is logged: a repeated delivery would mail the
  /// receipt twice.
  private func record(_ failure: String?, of order: UUID) async {
    do {
      try await dependencies.database.write(at: dependencies.clock.now()) { [orders] transaction in
        // An account that was removed meanwhile keeps nothing that may name its address.
        guard let account = try orders.order(order, in: transaction)?.accountID,
          try failure == nil || Self.mailbox(of: account, in: transaction) != nil
        else { return }
        try ReceiptRecords.setMailFailure(failure, of: order, in: transaction)
      }
    } catch {
      dependencies.logger.error(
        "the outcome of a receipt's mail is not recorded",
        metadata: ["order": "\(order.lowercase)", "error": "\(error.loggedName)"])
    }
  }

  /// The mail; nil when the account was removed meanwhile, or has no address any more.
  private func message(of id: UUID, repeatID: String?) async throws -> OutgoingMessage? {
    try await dependencies.database.read { [self] connection in
      guard let order = try orders.order(id, in: connection),
        let mailbox = try Self.mailbox(of: order.accountID, in: connection)
      else { return nil }
      let texts = Texts(order.language.flatMap(Language.init(rawValue:)) ?? .english)
      let facts = try ReceiptFacts(of: id, in: connection)
      return OutgoingMessage(
        id: "receipt-\(id.lowercase)" + (repeatID.map { "-\($0)" } ?? ""), to: mailbox, code: "",
        subject: texts(.receiptMailSubject, ["store": storeName]),
        text: try text(of: order, facts: facts, texts: texts))
    }
  }

  private func text(of order: Order, facts: ReceiptFacts, texts: Texts) throws -> String {
    let tax = try facts.taxLines(of: order, texts: texts)
    let lines: [(String, String?)] = [
      (texts[.receiptProduct], order.product.message.title), (texts[.payQuantity], order.quantityText),
      (texts[.receiptAmount], order.priceText),
      (texts[.receiptNet], tax?.net), (tax?.label ?? "", tax?.amount),
      (texts[.receiptGivenBack], facts.givenBackText(of: order, texts: texts)),
      (texts[.receiptDate], texts.day(order.paidAt ?? order.createdAt, in: order.country)),
      (texts[.receiptEnds], order.expiresAt.map { texts.day($0, in: order.country) }),
      (texts[.receiptNumber], facts.number?.description),
      (texts[.receiptSeller], seller.line(orStore: storeName)),
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
