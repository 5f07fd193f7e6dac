import OnsideKit
import OnsideTestKit
import Testing

/// In the README the test stands without this suite, which is here for its time limit.
@Suite("The test of the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @MainActor
  @Test("Coins are delivered after a crash")
  func coins() async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100", price: "0.99"))
    let phone = session.device()
    phone.launch { Shop() }  // your code as it is: Onside is the phone's
    phone.crash(at: .screen)

    try await phone.buy("coins_100")
    let shop = phone.launch { Shop() }
    try await session.transaction(of: "coins_100", in: .failed)  // never paid, and the app was told
    #expect(shop.coins == 0)

    try await phone.buy("coins_100")
    try await session.transaction(of: "coins_100", in: .finished)
    #expect(shop.coins == 100)
  }
}

@MainActor
final class Shop: OnsidePaymentTransactionObserver {
  var coins = 0

  init() { Onside.defaultPaymentQueue().add(observer: self) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchased, .restored:
        coins += 100
        queue.finishTransaction(transaction)
      case .failed: queue.finishTransaction(transaction)
      case .purchasing: break
      }
    }
  }
}
