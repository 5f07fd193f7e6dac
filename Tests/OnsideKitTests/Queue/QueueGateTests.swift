import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// A delegate that answers by a script and remembers what it was asked.
@MainActor
private final class Gate: OnsidePaymentQueueDelegate {
  var asked: [String] = []
  /// The storefronts of the transactions that it was asked about.
  var storefronts: [OnsideStorefront] = []
  var answer: @MainActor () async -> Bool = { true }
  var afterLogin: Bool?

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    asked.append("\(transaction.storefront.countryCode)>\(storefront.countryCode)")
    storefronts.append(transaction.storefront)
    return await answer()
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool {
    asked.append("login")
    return afterLogin ?? true
  }
}

/// A delegate that implements the synchronous gate only.
@MainActor
private final class SynchronousGate: OnsidePaymentQueueDelegate {
  var asked = 0
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool {
    asked += 1
    return false
  }
}

private final class SilentGate: OnsidePaymentQueueDelegate {}

@MainActor
@Suite("The gates of the payment queue", .timeLimit(.minutes(5)))
struct QueueGateTests {
  private let gate = Gate()

  /// A user who saw the Dutch price and then signs in to an American account.
  private func traveller() async throws -> QueueHarness {
    let harness = try await QueueHarness(signedIn: nil)
    harness.account.provisionalCountry = .netherlands
    harness.account.nextLogin = SignedIn(accountID: QueueHarness.alice.accountID, country: .unitedStates)
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    harness.queue.delegate = gate
    return harness
  }

  @Test("GAT-1: the storefront gate is asked when the country differs from the one enqueued in, and only then")
  func onlyWhenDifferent() async throws {
    let harness = try await traveller()
    _ = try await harness.buy(RuleProducts.coins)
    #expect(gate.asked == ["login", "NL>US"])
    _ = try await harness.buy(RuleProducts.coins)
    #expect(gate.asked.count == 2)
  }

  @Test("GAT-1: it is asked, with the storefront that observers know, when only the store knows of a move")
  func movedMeanwhile() async throws {
    let harness = try await QueueHarness()
    harness.queue.delegate = gate
    await harness.store.disturb(.sync, with: .hang)
    await harness.store.until { _, log in log.contains(.sync) }
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    let bought = try await harness.buy(RuleProducts.coins)
    #expect(gate.asked == ["NL>US"])
    let observed = try await harness.watcher.first(.purchasing).storefront
    #expect(gate.storefronts == [observed])
    #expect(bought.storefront.countryCode == "US")
    #expect(harness.queue.storefront?.countryCode == "US")
    #expect(bought.payment.product.price.money.minorUnits == 599)
  }

  @Test(
    "GAT-1: the gate compares the region in which the product was fetched, also when an account is signed in at add",
    arguments: [CountryCode.netherlands, .unitedStates])
  func fetchedElsewhere(fetched: CountryCode) async throws {
    let harness = try await QueueHarness(signedIn: nil)
    harness.queue.delegate = gate
    let message = try #require(RuleProducts.product(RuleProducts.coins, in: fetched))
    // Logged out in `fetched`; then a login to an American account; then the purchase.
    let shown = OnsidePayment(product: OnsideProduct(message, in: fetched))
    let american = SignedIn(accountID: QueueHarness.alice.accountID, country: .unitedStates)
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    await harness.account.signIn(american)
    harness.queue.add(shown, completion: nil)
    let bought = try await harness.watcher.first(.purchased)
    #expect(gate.asked == (fetched == .unitedStates ? [] : ["NL>US"]))
    #expect(bought.storefront.countryCode == "US")
    #expect(bought.payment.product.storefrontCountryCode == "US")
  }

  @Test("GAT-1: a product that was fetched in the account's region is not asked about after a login on demand")
  func fetchedInTheRightRegion() async throws {
    let harness = try await traveller()
    let message = try #require(RuleProducts.product(RuleProducts.coins, in: .unitedStates))
    harness.queue.add(OnsidePayment(product: OnsideProduct(message, in: .unitedStates)), completion: nil)
    _ = try await harness.watcher.first(.purchased)
    #expect(gate.asked == ["login"])
  }

  @Test("GAT-2: the synchronous gate is used when only that one is implemented, and without either the answer is yes")
  func variants() async throws {
    let harness = try await traveller()
    let synchronous = SynchronousGate()
    harness.queue.delegate = synchronous
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(synchronous.asked == 1)
    harness.account.signOut()
    let silent = SilentGate()
    harness.queue.delegate = silent
    let countryCode = try await harness.buy(RuleProducts.coins).storefront.countryCode
    #expect(countryCode == "US")
    harness.account.signOut()
    harness.queue.delegate = nil
    let secondCountryCode = try await harness.buy(RuleProducts.coins).storefront.countryCode
    #expect(secondCountryCode == "US")
  }

  @Test("GAT-3: no removes the transaction; it never fails and is never charged")
  func no() async throws {
    let harness = try await traveller()
    gate.answer = { false }
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { !$0.removals.isEmpty }
    let id = try #require(harness.watcher.removals.first?.id)
    #expect(harness.watcher.heard.contains(.completed("coins: success")))
    #expect(harness.watcher.states(of: id) == [.purchasing])
    #expect(await harness.store.rules.orders.isEmpty)
    await harness.restart()
    harness.account.nextLogin = nil
    #expect(harness.queue.transactions.isEmpty)
  }

  @Test("GAT-4: yes makes the order at the new region's price")
  func yes() async throws {
    let harness = try await traveller()
    let bought = try await harness.buy(RuleProducts.coins)
    let order = try #require(await harness.store.rules.orders[bought.id])
    #expect(order.country == .unitedStates)
    #expect(order.price.amount == 599)
    #expect(bought.payment.product.price.currencyCode == "USD")
  }

  @Test("GAT-4: a product that is not sold in the new region fails and is not charged")
  func notSoldThere() async throws {
    let harness = try await traveller()
    harness.queue.add(try harness.payment(RuleProducts.cheese), completion: nil)
    let failed = try await harness.watcher.first(.failed)
    #expect(failed.error == .presentationFailed)
    #expect(await harness.store.rules.charges.isEmpty)
  }

  @Test("GAT-5: a delegate that goes away while it is asked has not agreed")
  func delegateGoes() async throws {
    let harness = try await traveller()
    gate.answer = { [weak harness] in
      harness?.queue.delegate = nil
      return true
    }
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(await harness.store.rules.orders.isEmpty)
  }

  @Test("GAT-5: a delegate that takes over is asked again")
  func delegateChanges() async throws {
    let harness = try await traveller()
    let other = Gate()
    other.answer = { false }
    gate.answer = { [weak harness] in
      harness?.queue.delegate = other
      return true
    }
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { !$0.removals.isEmpty }
    #expect(other.asked == ["NL>US"])
    #expect(await harness.store.rules.orders.isEmpty)
  }

  @Test("GAT-5: the storefront that changes again while the delegate thinks is asked about again")
  func movesAgain() async throws {
    let harness = try await traveller()
    let germany = try #require(CountryCode(alpha2: "DE"))
    gate.answer = { [weak harness, gate] in
      if gate.asked.last == "NL>US" {
        await harness?.store.change { $0.move(QueueHarness.alice.accountID, to: germany) }
        harness?.account.regionLearned(
          germany, for: SignedIn(accountID: QueueHarness.alice.accountID, country: .unitedStates))
      }
      return true
    }
    let bought = try await harness.buy(RuleProducts.coins)
    #expect(gate.asked == ["login", "NL>US", "NL>DE"])
    #expect(bought.storefront.countryCode == "DE")
  }

  @Test("GAT-5: an order that the store gives up because the region changed is discarded, not charged")
  func movesWhilePaying() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }
    await harness.store.change { $0.move(QueueHarness.alice.accountID, to: .unitedStates) }
    await harness.watcher.until { !$0.removals.isEmpty }
    let id = try #require(harness.watcher.removals.first?.id)
    #expect(harness.watcher.states(of: id) == [.purchasing])
    #expect(await harness.store.rules.charges.isEmpty)
  }

  @Test("GAT-6: the gate after a login may refuse, and nothing is enqueued")
  func afterLogin() async throws {
    let harness = try await traveller()
    gate.afterLogin = false
    try harness.add(RuleProducts.coins)
    await harness.watcher.until { $0.heard.contains(.completed("coins: rejectedAfterLogin")) }
    #expect(harness.watcher.updates.isEmpty)
    #expect(harness.queue.transactions.isEmpty)
    #expect(harness.files.isEmpty)
    gate.afterLogin = true
    _ = try await harness.buy(RuleProducts.coins)
    #expect(gate.asked == ["login"])
  }
}
