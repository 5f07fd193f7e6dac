public import Foundation
import OnsideAPI
import OnsideCommerce
package import StoreBase

/// A receipt whose mail the mail server rejected, or gave no answer to (STO-15).
public struct UndeliveredReceipt: Sendable, Hashable {
  /// The number, such as `R-2026-000123`.
  public let number: String
  /// The order of the receipt.
  public let orderID: UUID
  /// The mail server's reason, or a text about the missing answer.
  public let reason: String
  /// The time of the failure.
  public let failedAt: Date
}

/// The reason a receipt is not mailed.
public struct ReceiptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected, what came, what to do.
  public let description: String
}

/// Lists and mails receipts.
public struct ReceiptService: Sendable {
  private let dependencies: BaseDependencies
  private let orders: OrderRecords
  private let mailsReceipts: Bool

  /// - Parameter mailsReceipts: whether the store has a mail server.
  package init(_ dependencies: BaseDependencies, orders: OrderRecords, mailsReceipts: Bool) {
    (self.dependencies, self.orders, self.mailsReceipts) = (dependencies, orders, mailsReceipts)
  }

  /// The receipts whose mail failed since a time, and that were not delivered later, the oldest failure first.
  public func undelivered(since start: Date = Date(timeIntervalSince1970: 0)) async throws -> [UndeliveredReceipt] {
    try await dependencies.database.read { try ReceiptRecords.undelivered(since: start, in: $0) }
  }

  /// Mails the receipt of an order again: at once while the store runs, else after its next start. Does nothing while
  /// a mail with the receipt waits.
  ///
  /// - Throws: ``ReceiptError`` when the store has no mail server, the order no receipt, or its account no e-mail
  ///   address.
  public func send(_ order: UUID) async throws {
    guard mailsReceipts else {
      throw ReceiptError(
        description: "expected a mail server, got mail.sender = \"none\": give the store's --configuration")
    }
    let repeatID = dependencies.random.token(bytes: 9)
    try await dependencies.database.write(at: dependencies.clock.now()) { [orders] transaction in
      guard let paid = try orders.order(order, in: transaction),
        try ReceiptRecords.hasReceipt(order, in: transaction)
      else {
        throw ReceiptError(description: "expected an order with a receipt, got \(order.lowercase)")
      }
      guard try !ReceiptMailer.isWaiting(order, in: transaction) else { return }
      guard try ReceiptMailer.request(paid, repeatID: repeatID, by: OutboxRecords(), in: transaction) else {
        throw ReceiptError(
          description: """
            expected an order whose account has an e-mail address, got \(order.lowercase): its buyer finds the receipt on \
            the account page
            """)
      }
    }
  }
}
