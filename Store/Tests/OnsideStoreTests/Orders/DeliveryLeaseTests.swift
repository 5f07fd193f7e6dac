import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// The lease by which one device of an account delivers a consumable.
@Suite("The lease of a consumable", .timeLimit(.minutes(5)))
struct DeliveryLeaseTests {
  /// Two devices of one account.
  private func devices(
    _ body: @escaping @Sendable (_ phone: Shopper, _ tablet: Shopper) async throws -> Void
  ) async throws {
    try await TestStore().shop { shopper in
      var (phone, tablet) = (shopper, shopper)
      (phone.device, tablet.device) = (UUID(), UUID())
      try await body(phone, tablet)
    }
  }

  @Test("QUE-22: the device that ordered a consumable delivers it; another one is told how long to wait")
  func ordering() async throws {
    try await devices { phone, tablet in
      let bought = try await phone.buy("coins")
      #expect(bought.delivery == DeliveryMessage(.here))
      let holders = try await phone.sync().orders.map(\.delivery?.holder)
      #expect(holders == [.here])
      let there = try await tablet.sync().orders
      #expect(there.map(\.id) == [bought.id] && there.map(\.delivery) == [DeliveryMessage(.elsewhere, seconds: 300)])
      let holder = try await tablet.claim(bought.id).delivery?.holder
      #expect(holder == .elsewhere)
      let secondHolder = try await phone.claim(bought.id).delivery?.holder
      #expect(secondHolder == .here)
    }
  }

  @Test("QUE-19: a sync says of a revoked order whether the device has finished it, or a duplicate of it")
  func finishedHere() async throws {
    try await devices { phone, tablet in
      let bought = try await phone.buy("remove_ads")
      for _ in 0..<2 { _ = try await phone.finish(bought.id) }
      let cursors = try await (phone.sync().cursor, tablet.sync().cursor)
      try await phone.store.core.orders.refund(bought.id.uuid, because: .support)
      for (device, cursor, isFinished) in [
        (phone, cursors.0, true), (phone, nil, true), (tablet, cursors.1, nil), (tablet, nil, nil),
      ] as [(Shopper, String?, Bool?)] {
        let revoked = try await device.sync(cursor).orders
        #expect(revoked.map(\.id) == [bought.id] && revoked.map(\.finishedHere) == [isFinished])
      }
      let again = try await tablet.buy("remove_ads")
      let duplicate = try await tablet.order("remove_ads")
      #expect(duplicate.duplicateOf == again.id)
      let cursor = try await phone.sync().cursor
      // Sent twice, as after a lost answer: no device is unknown.
      for _ in 0..<2 { _ = try await tablet.finish(duplicate.id) }
      try await phone.store.core.orders.refund(again.id.uuid, because: .support)
      let here = try await tablet.sync().orders.first { $0.id == again.id }?.finishedHere
      let there = try await phone.sync(cursor).orders.first { $0.id == again.id }?.finishedHere
      #expect(here == true && there == nil)
    }
  }

  @Test(
    "QUE-19: an order that was finished by an unknown device is revoked on devices with a cursor, also after a later finish",
    arguments: ["none", "the order", "a duplicate"])
  func finishedByUnknown(later: String) async throws {
    try await devices { phone, tablet in
      let bought = try await phone.buy("remove_ads")
      let cursor = try await tablet.sync().cursor
      var old = phone
      old.device = nil
      _ = try await old.finish(bought.id)
      // What a store of before devices were recorded has.
      try await phone.store.core.dependencies.database.write { try $0.execute("DELETE FROM order_finishes") }
      let repeated = later == "a duplicate" ? try await phone.order("remove_ads").id : bought.id
      if later != "none" { _ = try await phone.finish(repeated) }
      try await phone.store.core.orders.refund(bought.id.uuid, because: .support)
      let goesOn = try await tablet.sync(cursor).orders.first { $0.id == bought.id }?.finishedHere
      let startsOver = try await tablet.sync().orders.first { $0.id == bought.id }?.finishedHere
      #expect(goesOn == true && startsOver == nil)
    }
  }

  @Test("QUE-22: after five minutes of silence another device claims it, and then the first one waits")
  func silence() async throws {
    try await devices { phone, tablet in
      let bought = try await phone.buy("coins")
      phone.store.advance(by: .seconds(299))
      let delivery = try await tablet.claim(bought.id).delivery
      #expect(delivery == DeliveryMessage(.elsewhere, seconds: 1))
      phone.store.advance(by: .seconds(1))
      let holder = try await tablet.order(bought.id).delivery?.holder
      #expect(holder == .free)
      // Claims twice, as a retry after a lost answer does.
      for _ in 0..<2 {
        let actualHolder = try await tablet.claim(bought.id).delivery?.holder
        #expect(actualHolder == .here)
      }
      let secondHolder = try await phone.order(bought.id).delivery?.holder
      #expect(secondHolder == .elsewhere)
      let thirdHolder = try await phone.claim(bought.id).delivery?.holder
      #expect(thirdHolder == .elsewhere)
      phone.store.advance(by: .seconds(300))
      let fourthHolder = try await phone.claim(bought.id).delivery?.holder
      #expect(fourthHolder == .here)
    }
  }

  @Test("QUE-22: a device that syncs keeps what it delivers, for as long as it does")
  func activity() async throws {
    try await devices { phone, tablet in
      let bought = try await phone.buy("coins")
      for _ in 0..<10 {
        phone.store.advance(by: .seconds(120))
        _ = try await phone.sync()
        let holder = try await tablet.claim(bought.id).delivery?.holder
        #expect(holder == .elsewhere)
      }
      phone.store.advance(by: .seconds(301))
      // The phone renews its lease after the timeout, because no other device has claimed the order before.
      let secondHolder = try await phone.order(bought.id).delivery?.holder
      #expect(secondHolder == .here)
      let thirdHolder = try await tablet.claim(bought.id).delivery?.holder
      #expect(thirdHolder == .elsewhere)
    }
  }

  @Test("QUE-22: the lease begins with the payment, however long that took")
  func latePayment() async throws {
    try await devices { phone, tablet in
      let open = try await phone.order("coins")
      #expect(open.delivery == nil)
      phone.store.advance(by: .seconds(1200))
      _ = try await phone.pay(open, with: .succeeds)
      let delivery = try await tablet.claim(open.id).delivery
      #expect(delivery == DeliveryMessage(.elsewhere, seconds: 300))
      let holder = try await phone.order(open.id).delivery?.holder
      #expect(holder == .here)
    }
  }

  @Test("QUE-22: everything but a consumable goes to all devices, and so does what is finished or taken back")
  func others() async throws {
    try await devices { phone, tablet in
      for product in ["remove_ads", "pro"] {
        let bought = try await phone.buy(product)
        #expect(bought.delivery == nil)
        let delivery = try await tablet.claim(bought.id).delivery
        #expect(delivery == nil)
      }
      let (finished, refunded) = (try await phone.buy("coins"), try await phone.buy("coins"))
      _ = try await phone.finish(finished.id)
      try await phone.store.core.orders.refund(refunded.id.uuid, because: .support)
      for order in [finished, refunded] {
        let actualDelivery = try await tablet.order(order.id).delivery
        #expect(actualDelivery == nil)
      }
    }
  }

  @Test("QUE-22: an app of before leases is told nothing of them, and what its session syncs stays its own")
  func olderApps() async throws {
    try await TestStore().shop { shopper in
      let bought = try await shopper.buy("coins")
      #expect(bought.delivery == nil)
      var tablet = shopper
      tablet.device = UUID()
      let holder = try await tablet.claim(bought.id).delivery?.holder
      #expect(holder == .elsewhere)
      shopper.store.advance(by: .seconds(200))
      _ = try await shopper.sync()
      shopper.store.advance(by: .seconds(200))
      let secondHolder = try await tablet.claim(bought.id).delivery?.holder
      #expect(secondHolder == .elsewhere)
      shopper.store.advance(by: .seconds(101))
      let thirdHolder = try await tablet.claim(bought.id).delivery?.holder
      #expect(thirdHolder == .here)
    }
  }

  @Test("QUE-22: what is not paid, or another account's, cannot be claimed")
  func refused() async throws {
    try await devices { phone, tablet in
      let open = try await phone.order("coins")
      let code = try await tablet.post("/v1/orders/\(open.id)/claim").problem().code
      #expect(code == .orderNotFinal)
      let secondCode = try await tablet.post("/v1/orders/\(UUID())/claim").problem().code
      #expect(secondCode == .notFound)
      let bought = try await phone.buy("coins")
      let stranger = Shopper(
        store: phone.store, client: phone.client, accountID: try await phone.store.account(), country: "NL",
        device: phone.device)
      let thirdCode = try await stranger.post("/v1/orders/\(bought.id)/claim").problem().code
      #expect(thirdCode == .notFound)
      let holder = try await phone.order(bought.id).delivery?.holder
      #expect(holder == .here)
    }
  }

  @Test("QUE-23: every answer of the store has its header, also refusals and unknown paths")
  func header() async throws {
    try await TestStore().shop { shopper in
      for path in ["/v1/sync", "/v1/orders/none", "/nowhere", "/healthz", "/.well-known/jwks.json"] {
        let headers = try await shopper.get(path).headers[.onsideStore]
        #expect(headers == "1", "\(path)")
      }
      let bought = try await shopper.buy("coins")
      let secondHeaders = try await shopper.post("/v1/orders/\(bought.id)/finish").headers[.onsideStore]
      #expect(secondHeaders == "1")
    }
  }
}
