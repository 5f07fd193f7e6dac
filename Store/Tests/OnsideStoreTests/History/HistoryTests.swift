import Foundation
import HTTPTypes
import HummingbirdTesting
import JWTKit
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("History", .timeLimit(.minutes(5)))
struct HistoryTests {
  @Test("HIS-1: receipts and histories are verified by a library not written here, and have the subject of the list")
  func verifies() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.buy("remove_ads", token: "user-1")
      let verified = try await shopper.verify(try await shopper.history())
      #expect(verified.transactions.count == 1)
      let purchase = try #require(verified.transactions.first)
      #expect(purchase.orderID == order.id.uuid)
      #expect(purchase.bundleID == "io.example.lumen")
      #expect(purchase.price == order.price.money)
      #expect(purchase.productType == .nonConsumable)
      #expect(purchase.userCountry == .netherlands)
      #expect(purchase.appAccountToken == "user-1")
      let list = try await EntitlementService(
        shopper.store.core.dependencies.base,
        purchases: PurchaseRecords(products: shopper.store.core.orders.records.products, environment: .sandbox)
      ).list(for: Customer(account: shopper.accountID, app: TestShop.app.id))
      #expect(purchase.subject == list.subject)
      let transactions = try await shopper.verify(try #require(order.receipt)).transactions
      #expect(transactions == [purchase])
    }
  }

  @Test("HIS-1: a payload, header or signature with any part changed is refused")
  func altered() async throws {
    try await TestStore().shop { shopper in
      let jws = try #require(try await shopper.buy("coins").receipt)
      for index in stride(from: 0, to: jws.count, by: 17) {
        var characters = Array(jws)
        characters[index] = characters[index] == "A" ? "B" : "A"
        await #expect(throws: (any Error).self) { try await shopper.verify(String(characters)) }
      }
    }
  }

  @Test("HIS-1: the answer is application/jose, without the purchases of other accounts")
  func own() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("coins")
      let other = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      let answer = try await other.get("/v1/history")
      #expect(answer.headers[.contentType] == "application/jose")
      let transactions = try await other.verify(String(buffer: answer.body)).transactions
      #expect(transactions.isEmpty)
    }
  }

  @Test("HIS-1: pages of a history are signed each, and together they are the whole", arguments: [1, 2, 5, 100])
  func pages(limit: Int) async throws {
    try await TestStore().shop { shopper in
      for _ in 0..<2 {
        for _ in 0..<2 { try await shopper.buy("coins") }
        shopper.store.advance(by: .seconds(1))
      }
      try await shopper.buy("remove_ads")
      let whole = try await shopper.verify(try await shopper.history()).transactions
      #expect(whole.count == 5)
      var (read, sizes): ([InAppPurchase], [Int]) = ([], [])
      var path: String? = "/v1/history?limit=\(limit)"
      while let next = path {
        let answer = try await shopper.get(next)
        #expect(answer.status == .ok && answer.headers[.contentType] == "application/jose")
        let page = try await shopper.verify(String(buffer: answer.body)).transactions
        read += page
        sizes.append(page.count)
        path = try answer.headers[.link].map {
          String(try #require($0.wholeMatch(of: /<(\/v1\/history\?[^>]+)>; rel="next"/)).1)
        }
      }
      #expect(read == whole)
      #expect(sizes.dropLast().allSatisfy { $0 == limit } && sizes.count == (5 + limit - 1) / limit)
    }
  }

  @Test("HIS-1: without a limit the history is whole, without a Link; a purchase between two pages is on a later one")
  func wholeHistory() async throws {
    try await TestStore().shop { shopper in
      for _ in 0..<3 { try await shopper.buy("coins") }
      let headers = try await shopper.get("/v1/history").headers[.link]
      #expect(headers == nil)
      let first = try await shopper.get("/v1/history?limit=2")
      let path = try #require(first.headers[.link]?.split(separator: "<").first?.split(separator: ">").first)
      shopper.store.advance(by: .seconds(1))
      let late = try await shopper.buy("remove_ads")
      let rest = try await shopper.verify(String(buffer: try await shopper.get(String(path)).body)).transactions
      #expect(rest.count == 2 && rest.last?.orderID == late.id.uuid)
    }
  }

  @Test(
    "STO-4: a page that cannot be is refused by its parameter",
    arguments: [("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor")])
  func noPage(query: String, word: String) async throws {
    try await TestStore().shop { shopper in
      let answer = try await shopper.get("/v1/history?\(query)")
      #expect(answer.status == .badRequest)
      let detail = try answer.problem().detail
      #expect(detail?.contains(word) == true)
    }
  }

  @Test("STO-11: a key is published before it signs, and for ever afterwards")
  func rotation() async throws {
    try await TestStore().shop { shopper in
      let keys = shopper.store.core.signingKeys
      var receipts = [try #require(try await shopper.buy("coins").receipt)]
      for _ in 0..<3 {
        let published = try await shopper.keySet()
        shopper.store.advance(by: .seconds(SigningKeys.publishedBeforeUse))
        try await keys.rotate()
        let receipt = try #require(try await shopper.buy("coins").receipt)
        let keyID = try Self.keyID(of: receipt)
        #expect(published.contains(keyID))
        let last = try #require(receipts.last)
        let lastKeyID = try Self.keyID(of: last)
        #expect(keyID != lastKeyID)
        receipts.append(receipt)
      }
      for receipt in receipts {
        let transactionCount = try await shopper.verify(receipt).transactions.count
        #expect(transactionCount == 1)
      }
      #expect(keys.all.map(\.state) == [.next, .active, .retired, .retired, .retired])
    }
  }

  @Test("STO-11: a key that was published too short a time ago is not used")
  func tooEarly() async throws {
    let store = try await TestStore()
    store.advance(by: .seconds(599))
    await #expect(throws: SigningKeyError.publishedTooShort(waitSeconds: 1)) {
      try await store.core.signingKeys.rotate()
    }
    #expect(store.core.signingKeys.all.map(\.state) == [.next, .active])
  }

  @Test("STO-11: keys survive a restart, and a rotation elsewhere is taken over")
  func restart() async throws {
    let store = try await TestStore()
    let other = try await TestStore(in: store.folder, clock: store.clock)
    #expect(other.core.signingKeys.all.map(\.id) == store.core.signingKeys.all.map(\.id))
    store.advance(by: .seconds(600))
    try await other.core.signingKeys.rotate()
    try await store.core.reload()
    #expect(other.core.signingKeys.all.map(\.id) == store.core.signingKeys.all.map(\.id))
  }

  @Test("STO-18: a withdrawn key is not published, and the store's receipts of it verify by the active key")
  func withdrawal() async throws {
    try await TestStore().shop { shopper in
      let keys = shopper.store.core.signingKeys
      let order = try await shopper.buy("coins")
      let receipt = try #require(order.receipt)
      let old = try Self.keyID(of: receipt)
      shopper.store.advance(by: .seconds(SigningKeys.publishedBeforeUse))
      try await keys.withdraw(old)
      let published = try await shopper.keySet()
      #expect(!published.contains(old) && keys.all.map(\.state) == [.next, .active])
      let again = try #require(try await shopper.order(order.id).receipt)
      let active = try keys.active().id
      let keyID = try Self.keyID(of: again)
      #expect(keyID == active && again.split(separator: ".")[1] == receipt.split(separator: ".")[1])
      let transactionCount = try await shopper.verify(again).transactions.count
      #expect(transactionCount == 1)
      await #expect(throws: SigningKeyError.unknown(old)) { try await keys.withdraw(old) }
    }
  }

  @Test("STO-18: a next key is replaced at once, the active key only by a next key that was published for ten minutes")
  func withdrawalInUse() async throws {
    let store = try await TestStore()
    let keys = store.core.signingKeys
    let (next, active) = (keys.all[0].id, keys.all[1].id)
    store.advance(by: .seconds(600))
    try await keys.withdraw(next)
    #expect(keys.all.map(\.state) == [.next, .active] && keys.all[0].id != next)
    let fresh = keys.all[0].id
    await #expect(throws: SigningKeyError.publishedTooShort(waitSeconds: 600)) { try await keys.withdraw(active) }
    #expect(keys.all.map(\.id) == [fresh, active])
    store.advance(by: .seconds(600))
    try await keys.withdraw(active)
    #expect(keys.all.map(\.state) == [.next, .active] && keys.all[1].id == fresh)
    try await store.core.reload()
    #expect(!keys.all.map(\.id).contains(active))
  }

  private static func keyID(of jws: String) throws -> String {
    struct Header: Decodable { let kid: String, alg: String }
    let bytes = try #require(jws.split(separator: ".").first.flatMap { Base64URL.decode($0) })
    let header = try JSONDecoder().decode(Header.self, from: Data(bytes))
    #expect(header.alg == "ES256")
    return header.kid
  }
}

private struct HistoryPayload: JWTPayload {
  let transactions: [InAppPurchase]
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension Shopper {
  /// The ids of the published keys.
  func keySet() async throws -> Set<String> {
    let keys = try JSONDecoder().decode(JWKS.self, from: try await keySetBytes()).keys
    return Set(keys.compactMap { $0.keyIdentifier?.string })
  }

  /// Verifies with jwt-kit and the published keys, as a merchant does.
  func verify(_ jws: String) async throws -> TransactionHistory {
    let keys = JWTKeyCollection()
    try await keys.add(jwksJSON: String(decoding: try await keySetBytes(), as: UTF8.self))
    await keys.clearDefault()
    let payload = try await keys.verify(jws, as: HistoryPayload.self)
    return TransactionHistory(transactions: payload.transactions)
  }

  private func keySetBytes() async throws -> Data {
    try await client.execute(uri: "/.well-known/jwks.json", method: .get) { Data($0.body.readableBytesView) }
  }
}
