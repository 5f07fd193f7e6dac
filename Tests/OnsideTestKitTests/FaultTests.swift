import Foundation
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("Faults and crashes in a test session", .timeLimit(.minutes(5)))
struct FaultTests {
  private let session = OnsideTestSession(
    selling: .consumable("coins"), .subscription("pro"))

  @Test(
    "QUE-8: wherever the app crashes, a purchase on disk is delivered or failed after the next launch, and paid once at most",
    arguments: TestDevice.CrashPoint.allCases)
  func crash(at point: TestDevice.CrashPoint) async throws {
    let phone = session.device()
    phone.launch()
    phone.crash(at: point)
    try await phone.buy("coins")
    let app = phone.launch()
    try await session.settle()
    let isPaid = ![.added, .stored, .ordered, .screen].contains(point)
    try await session.expect("coins", .finished, times: isPaid ? 1 : 0)
    try await session.expect("coins", .failed, times: isPaid || point == .added ? 0 : 1)
    if point == .delivered { #expect(app.delivered.map(\.deliveryReason) == [.redelivered]) }
  }

  @Test("QUE-7, QUE-8: after a power cut the disk has what the app was promised")
  func powerCut() async throws {
    let phone = session.device()
    let app = phone.launch()
    app.finishes = false
    try await phone.buy("coins")
    phone.losePower()
    phone.launch()
    try await session.expect("coins", .finished)
    #expect(session.transactions().first?.timesDelivered == 2)
  }

  @Test(
    "QUE-9: an answer that is lost changes nothing in what happens",
    arguments: [StoreCall.order, .payment, .check, .finish, .sync])
  func lostAnswer(_ call: StoreCall) async throws {
    let phone = session.device()
    phone.launch()
    session.disturb(call, with: .loseAnswer, times: 2)
    try await phone.buy("coins")
    try await session.transaction(of: "coins", in: .finished)
    #expect(session.store.transactions().count == 1)
    #expect(session.transactions().first?.timesDelivered == 1)
  }

  @Test(
    "Calls that reach the store twice buy once",
    arguments: [StoreCall.signIn, .products, .order, .payment, .sync, .finish])
  func duplicate(_ call: StoreCall) async throws {
    let phone = session.device()
    phone.launch()
    session.disturb(call, with: .duplicate, times: 3)
    try await phone.buy("coins")
    try await session.transaction(of: "coins", in: .finished)
    #expect(session.store.transactions().count == 1)
    #expect(session.story.contains("fault: \(call.rawValue) reaches the store twice"))
  }

  @Test("A call that fails is tried again while the test waits, in simulated time")
  func failure() async throws {
    let phone = session.device()
    phone.launch()
    session.disturb(.order, with: .fail(.connection), times: 2)
    session.disturb(.finish, with: .fail(.serviceUnavailable), times: 3)
    try await phone.buy("coins")
    let coins = try await session.transaction(of: "coins", in: .finished)
    #expect(coins.steps.count { $0.kind == .fault } == 5)
    #expect(session.now > Date(timeIntervalSince1970: 1_800_000_000))
  }

  @Test("A delay passes with the clock, and not before")
  func delay() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.logIn()
    session.disturb(.sync, with: .delay(.hours(2)))
    session.buy("coins")
    try await session.settle()
    try await session.expect("coins", .paid)
    try await session.advance(by: .hours(2))
    try await session.expect("coins", .finished)
  }

  @Test("An interrupted purchase goes on once it is settled")
  func interruption() async throws {
    let phone = session.device()
    phone.launch()
    session.disturb(.payment, with: .interrupt)
    try await phone.buy("coins")
    try await session.expect("coins", .waiting)
    #expect(session.approve("coins"))
    try await session.transaction(of: "coins", in: .finished)
    try await phone.buy("coins")
    try await session.expect("coins", .finished, times: 2)
  }

  @Test("Without a network a renewal waits; it comes when the network is there again")
  func offline() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.buy("pro")
    session.isOffline = true
    try await session.advance(by: .days(32))
    try await session.expect("pro", .paid)
    session.isOffline = false
    try await session.transaction(of: "pro", in: .finished)
  }
}

@MainActor
@Suite("The story of a failed expectation", .timeLimit(.minutes(5)))
struct StoryTests {
  @Test("A wait that is over tells every step with its time, at the line of the test")
  func story() async throws {
    let session = OnsideTestSession(selling: .consumable("coins"))
    let phone = session.device("phone")
    phone.launch().finishes = false
    try await phone.buy("coins")
    session.patience = .milliseconds(20)
    let line = #line + 2
    try await withKnownIssue {
      try await session.transaction(of: "coins", in: .finished)
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      return issue.sourceLocation?.line == line && text.contains("coins is purchased")
        && text.contains("2027-01-15 08:00:00  phone     on disk") && text.contains("paid: 0.99 EUR")
    }
  }

  @Test("A wait ends with its limit, also when each look at the condition is slow")
  func slowCondition() async throws {
    let session = OnsideTestSession(selling: .consumable("coins"))
    session.patience = .milliseconds(50)
    var looks = 0
    try await withKnownIssue {
      try await session.wait(until: "nothing") {
        looks += 1
        usleep(25_000)
        return false
      }
    } matching: {
      $0.comments.map(\.rawValue).joined().contains("expected nothing within 0.05 seconds")
    }
    #expect((1...2).contains(looks))
  }

  @Test(
    "A wait for a state that a final state never becomes fails at once, and not after the limit",
    arguments: [
      (TestTransaction.State.failed, TestTransaction.State.finished), (.refunded, .finished), (.finished, .failed),
    ])
  func final(state: TestTransaction.State, expected: TestTransaction.State) async throws {
    let session = OnsideTestSession(selling: .consumable("coins"))
    session.patience = .seconds(60)
    let phone = session.device()
    phone.launch()
    session.failTransactionsEnabled = state == .failed
    try await phone.buy("coins")
    if state == .refunded { #expect(session.refund("coins")) }
    try await session.transaction(of: "coins", in: state)
    try await withKnownIssue {
      try await session.transaction(of: "coins", in: expected)
    } matching: {
      $0.comments.map(\.rawValue).joined().contains(
        "expected coins to be \(expected.rawValue), but it can no longer be: coins is \(state.rawValue)")
    }
  }

  @Test("A wait goes on after a failed purchase while the app loads the product to buy it again")
  func secondPurchase() async throws {
    let session = OnsideTestSession(selling: .consumable("coins"))
    let phone = session.device()
    let app = phone.launch { RetryingApp() }
    session.person.nextPayment(.decline)
    let product = try await phone.product("coins")
    session.disturb(.products, with: .delay(.seconds(5)))
    try await phone.run { Onside.defaultPaymentQueue().add(OnsidePayment(product: product)) { _ in } }
    try await session.transaction(of: "coins", in: .finished)
    #expect(app.failures == 1)
  }

  @Test("A count that is not met tells the stories of all")
  func count() async throws {
    let session = OnsideTestSession(selling: .consumable("coins"))
    session.buy("coins")
    try await withKnownIssue {
      try await session.expect("coins", .finished, times: 2)
    } matching: {
      $0.comments.map(\.rawValue).joined().contains("expected 2 of coins to be finished, got 0 of 1")
    }
  }
}

/// An app that loads a product and buys it again when its purchase has failed.
@MainActor
private final class RetryingApp: OnsidePaymentTransactionObserver {
  private(set) var failures = 0

  init() { Onside.defaultPaymentQueue().add(observer: self) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions where transaction.transactionState != .purchasing {
      queue.finishTransaction(transaction)
      guard transaction.transactionState == .failed else { continue }
      failures += 1
      Task {
        let products = try await Onside.products(for: ["coins"]).products
        Onside.defaultPaymentQueue().add(OnsidePayment(product: products[0])) { _ in }
      }
    }
  }
}
