import Foundation
import OnsideKit
import OnsideTestKit
import Testing

// What follows is shown in the documentation (Examples.md), word for word.

/// What the player has. The app keeps it on disk, so it is there after a crash.
final class SavedGame {
  var coins = 0
  var proUntil: Date?
  var delivered: Set<UUID> = []
}

@MainActor
final class Game: OnsidePaymentTransactionObserver {
  private let saved: SavedGame

  init(_ saved: SavedGame) {
    self.saved = saved
    Onside.defaultPaymentQueue().add(observer: self)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchased, .restored:
        deliver(transaction)
        queue.finishTransaction(transaction)
      case .failed: queue.finishTransaction(transaction)
      case .purchasing: break
      }
    }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions where saved.delivered.contains(transaction.id) { takeBack(transaction) }
  }

  private func deliver(_ transaction: OnsidePaymentTransaction) {
    guard saved.delivered.insert(transaction.id).inserted else { return }
    switch transaction.payment.product.productIdentifier {
    case "coins_100": saved.coins += 100 * transaction.payment.quantity
    case "pro_monthly": saved.proUntil = transaction.expirationDate
    default: break
    }
  }

  private func takeBack(_ transaction: OnsidePaymentTransaction) {
    switch transaction.payment.product.productIdentifier {
    case "coins_100": saved.coins -= 100 * transaction.payment.quantity
    case "pro_monthly": saved.proUntil = nil
    default: break
    }
  }
}

@MainActor
@Suite("The shop of the game", .timeLimit(.minutes(5)))
struct GameShopTests {
  let session = OnsideTestSession(selling: .consumable("coins_100"), .subscription("pro_monthly"))
  let saved = SavedGame()

  @Test("Coins are delivered once, even when the app crashes before it is done")
  func coinsAfterACrash() async throws {
    let phone = session.device()
    phone.launch { Game(saved) }
    phone.crash(at: .delivered)  // the player has the coins; that they were delivered is not on disk yet

    try await phone.buy("coins_100")
    #expect(!phone.isRunning)

    phone.launch { Game(saved) }  // the same disk, the same account
    try await session.transaction(of: "coins_100", in: .finished)
    #expect(saved.coins == 100)
  }

  @Test("A child's purchase waits for a parent")
  func askToBuy() async throws {
    let phone = session.device()
    phone.launch { Game(saved) }
    session.askToBuyEnabled = true

    try await phone.buy("coins_100")
    try await session.expect("coins_100", .waiting)
    #expect(saved.coins == 0)

    session.approve("coins_100")
    try await session.transaction(of: "coins_100", in: .finished)
    #expect(saved.coins == 100)

    try await phone.buy("coins_100")
    session.decline("coins_100")
    try await session.transaction(of: "coins_100", in: .failed)
    #expect(saved.coins == 100)
  }

  @Test("A subscription renews, goes on for a while when the card fails, and ends")
  func subscription() async throws {
    let phone = session.device()
    phone.launch { Game(saved) }
    session.billingGracePeriodIsEnabled = true

    try await phone.buy("pro_monthly")
    try await session.advance(by: .months(1))
    try await session.expect("pro_monthly", .finished, times: 2)  // bought, and renewed once
    #expect(saved.proUntil == TimeSpan.months(1).after(session.now))

    try session.subscription("pro_monthly").fail(.cardDeclined)
    try await session.advance(by: .months(1))
    #expect(session.subscription("pro_monthly").state == .inGracePeriod)
    #expect(session.subscription("pro_monthly").isEntitled)

    try await session.advance(by: .days(17))
    #expect(session.subscription("pro_monthly").state == .inBillingRetryPeriod)
    #expect(!session.subscription("pro_monthly").isEntitled)

    try await session.advance(by: .days(60))
    #expect(session.subscription("pro_monthly").state == .expired)
  }
}
