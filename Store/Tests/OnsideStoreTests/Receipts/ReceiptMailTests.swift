import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("Receipts by mail", .timeLimit(.minutes(5)))
struct ReceiptMailTests {
  private static let address = "ann@example.org"

  /// A store with a mail server, and a buyer who logs in with a phone number and with e-mail addresses.
  private static func shop(
    addresses: [String] = [address], sender: any MessageSender, mail: MailConfiguration.Sender = .console,
    _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    let store = try await TestStore(sender: sender) {
      $0.mail.sender = mail
      $0.seller.name = "Onside Example B.V."
    }
    try await store.shop { shopper in
      let account = try #require(AccountID(shopper.accountID))
      try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
        for address in addresses {
          let identity = Identity.contact(.email(try EmailAddress(parsing: address)))
          _ = try AccountRecords.addIdentity(
            ProvedIdentity(identity: identity, label: nil, provedAt: transaction.now), to: account, in: transaction)
        }
      }
      try await body(shopper)
    }
  }

  @Test("a paid order's receipt is mailed once, with its number and price")
  func once() async throws {
    let inbox = Inbox()
    try await Self.shop(sender: inbox) { shopper in
      let order = try await shopper.buy("coins")
      for _ in 0..<3 { try await shopper.store.core.deliverOutbox() }
      let mail = try #require(inbox.messages.first)
      #expect(inbox.messages.count == 1 && mail.to.text == Self.address && mail.code.isEmpty)
      #expect(mail.subject == "Your receipt from Onside")
      let number = try await shopper.store.core.dependencies.database.read {
        try ReceiptRecords.number(of: order.id.uuid, in: $0)
      }
      let parts = [
        try #require(number).description, "0,99", "Onside Example B.V.", order.id.description, "/account",
      ]
      for part in parts { #expect(mail.text.contains(part), "\(part)") }
      #expect(!mail.text.contains("Refunded"))
    }
  }

  @Test("QUE-30: the mailed receipt of three says so, that of one says nothing of it")
  func quantity() async throws {
    let inbox = Inbox()
    try await Self.shop(sender: inbox) { shopper in
      for quantity in [1, 3] { try await shopper.buy("coins", quantity: quantity) }
      try await shopper.store.core.deliverOutbox()
      let texts = inbox.messages.map(\.text)
      #expect(texts.count { $0.contains("Quantity: 3") && $0.contains("2,97") } == 1)
      #expect(texts.count { !$0.contains("Quantity") && $0.contains("0,99") } == 1)
    }
  }

  @Test("an account without an address gets no mail, nor does one that lost its address before it went out")
  func nobody() async throws {
    let inbox = Inbox()
    try await Self.shop(addresses: [], sender: inbox) { shopper in
      try await shopper.buy("coins")
      try await shopper.store.core.deliverOutbox()
    }
    try await Self.shop(sender: inbox) { shopper in
      try await shopper.buy("coins")
      try await shopper.store.core.dependencies.database.write {
        try $0.execute("DELETE FROM identities WHERE account_id = $1", [.text(shopper.accountID)])
      }
      try await shopper.store.core.deliverOutbox()
      let waiting = try await shopper.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
    #expect(inbox.messages.isEmpty)
  }

  @Test("a store without a mail server writes nothing to mail")
  func noServer() async throws {
    let inbox = Inbox()
    try await Self.shop(sender: inbox, mail: .none) { shopper in
      try await shopper.buy("coins")
      let rows = try await shopper.store.core.dependencies.database.read { try OutboxRecords().all(limit: 9, in: $0) }
      #expect(!rows.contains { $0.kind == ReceiptMailer.kind })
    }
  }

  @Test("a part that is given back before the mail goes out is in it")
  func givenBack() async throws {
    let inbox = Inbox()
    try await Self.shop(sender: inbox) { shopper in
      let order = try await shopper.buy("coins")
      try await shopper.store.core.refunds.refund(order.id.uuid, amount: try TestShop.money(40), because: .refund)
      try await shopper.store.core.deliverOutbox()
      #expect(inbox.messages.first?.text.contains("Refunded: ") == true)
      #expect(inbox.messages.first?.text.contains("0,40") == true)
    }
  }

  @Test("a mail server that fails is tried again, and the purchase does not wait for it")
  func retry() async throws {
    let inbox = Inbox()
    inbox.failNext(2)
    try await Self.shop(sender: inbox) { shopper in
      let state = try await shopper.buy("coins").state
      #expect(state == .paid)
      for _ in 0..<4 {
        try await shopper.store.core.deliverOutbox()
        shopper.store.advance(by: .seconds(10))
      }
      #expect(inbox.messages.count == 1)
    }
  }

  @Test(
    "a mail that may have arrived, or that is refused for good, is not sent again",
    arguments: [MessageFailure.unclear("no answer"), .refused("550")])
  func givenUp(failure: MessageFailure) async throws {
    let server = FailingServer(failure)
    try await Self.shop(sender: server) { shopper in
      try await shopper.buy("coins")
      for _ in 0..<4 {
        try await shopper.store.core.deliverOutbox()
        shopper.store.advance(by: .seconds(10))
      }
      #expect(server.tries.withLock { $0 } == 1)
      let waiting = try await shopper.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("STO-15: an undelivered receipt is listed with its reason, and no more once it was mailed again")
  func rejected() async throws {
    let server = FailingServer(.refused("550 quota"), failures: 2)
    try await Self.shop(sender: server) { shopper in
      let receipts = shopper.store.core.receipts
      let order = try await shopper.buy("coins")
      // The second mail is rejected as well. A receipt that waits already is mailed once.
      for _ in 0..<2 {
        try await shopper.store.core.deliverOutbox()
        let rejected = try await receipts.undelivered()
        #expect(rejected.map(\.orderID) == [order.id.uuid] && rejected.first?.reason == "550 quota")
        #expect(rejected.first?.number.hasPrefix("R-") == true)
        for _ in 0..<2 { try await receipts.send(order.id.uuid) }
      }
      try await shopper.store.core.deliverOutbox()
      #expect(server.tries.withLock { $0 } == 3)
      let rest = try await receipts.undelivered()
      #expect(rest.isEmpty)
    }
  }

  @Test("STO-15: neither an order without a receipt nor one whose account has no address can be mailed again")
  func notSent() async throws {
    try await Self.shop(addresses: [], sender: Inbox()) { shopper in
      let receipts = shopper.store.core.receipts
      let (paid, open) = (try await shopper.buy("coins"), try await shopper.order("coins"))
      for (order, fault) in [(paid, "has an e-mail address"), (open, "an order with a receipt")] {
        let error = await #expect(throws: ReceiptError.self) { try await receipts.send(order.id.uuid) }
        #expect(error?.description.contains(fault) == true)
      }
      let waiting = try await shopper.store.core.outboxStatus().waiting
      #expect(waiting == 0)
    }
  }

  @Test("STO-15: no receipt of a removed account is listed")
  func removedAccount() async throws {
    try await Self.shop(sender: FailingServer(.refused("550 quota"))) { shopper in
      let receipts = shopper.store.core.receipts
      try await shopper.buy("coins")
      try await shopper.store.core.deliverOutbox()
      let before = try await receipts.undelivered().count
      try await shopper.store.core.accounts.remove(try #require(AccountID(shopper.accountID)))
      let after = try await receipts.undelivered().count
      #expect((before, after) == (1, 0))
    }
  }

  /// A mail server that rejects the first mails, or all, and does not recognise repeats.
  private final class FailingServer: MessageSender {
    let tries = Mutex(0)
    private let failure: MessageFailure
    private let failures: Int

    init(_ failure: MessageFailure, failures: Int = .max) { (self.failure, self.failures) = (failure, failures) }

    var recognisesRepeats: Bool { false }

    func send(_ message: OutgoingMessage) async throws {
      let count = tries.withLock { tries in
        tries += 1
        return tries
      }
      if count <= failures { throw failure }
    }
  }
}
