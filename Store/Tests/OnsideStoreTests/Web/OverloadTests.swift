import Dispatch
import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreWeb

@Suite("Overload", .timeLimit(.minutes(5)))
struct OverloadTests {
  /// Runs `body` while a write of the database does not end.
  private func holdingCommits(of store: TestStore, _ body: () async throws -> Void) async throws {
    let (held, begins) = AsyncStream.makeStream(of: Void.self)
    let freed = DispatchSemaphore(value: 0)
    let writing = Task {
      try await store.core.dependencies.database.once.write { _ in
        begins.yield()
        return freed.wait(timeout: .now() + 120) == .success
      }
    }
    for await _ in held { break }
    do { try await body() } catch {
      freed.signal()
      throw error
    }
    freed.signal()
    #expect(try await writing.value)
  }

  @Test("STO-5: with commits held up, a new order is refused before a payment is; after that all orders are made")
  func newOrdersFirst() async throws {
    try await TestStore { $0.limits.requestsInFlight = 4 }.shop { shopper in
      let store = shopper.store
      let (begun, waiting) = (try await shopper.order("coins"), try await shopper.order("coins"))
      let page = try #require(begun.paymentURL?.path())
      let request = OrderRequest(productID: "coins", country: .netherlands)
      // It proves that the database can be written, for as long as the clock stands still.
      _ = try await shopper.client.execute(uri: "/metrics", method: .get) { $0.status }
      var orders: [Task<TestResponse, any Error>] = []
      var payment: Task<HTTPResponse.Status?, any Error>?
      try await holdingCommits(of: store) {
        orders = (0..<3).map { _ in
          let key = store.freshID()
          return Task { try await shopper.tryOrder(request, key: key) }
        }
        let deadline = NamedDeadline("three orders to wait for their commit")
        while store.core.dependencies.database.waitingWrites < 3 { try await deadline.next() }
        let refused = try await shopper.tryOrder(request, key: store.freshID())
        #expect(refused.status == .serviceUnavailable && refused.headers[.retryAfter] == "1")
        let code = try refused.problem().code
        #expect(code == .overloaded)
        let payable = try await shopper.get("/v1/orders/\(waiting.id)")
        #expect(payable.status == .ok, "a purchase that has begun has room")
        payment = Task {
          try await Browser(shopper.client).get(page).submit(page, with: ["method": "card_succeeds"]).status
        }
        let admitted = NamedDeadline("the payment to wait for its commit")
        while store.core.dependencies.database.waitingWrites < 4 { try await admitted.next() }
        // Polls have a limit of their own.
        _ = try await shopper.sync()
        for path in ["/health/live", "/metrics"] {
          let status = try await shopper.client.execute(uri: path, method: .get) { $0.status }
          #expect(status == .ok, "\(path)")
        }
      }
      for order in orders {
        let actualStatus = try await order.value.status
        #expect(actualStatus == .created)
      }
      let state = try await shopper.order("coins").state
      #expect(state == .open)
      let paid = try await #require(payment).value
      #expect(paid != .serviceUnavailable)
      let secondState = try await shopper.order(begun.id).state
      #expect(secondState == .paid)
    }
  }
}
