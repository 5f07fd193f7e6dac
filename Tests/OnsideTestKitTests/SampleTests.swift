import Foundation
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("The samples of the README and the documentation", .timeLimit(.minutes(5)))
struct SampleTests {
  private let session = OnsideTestSession(selling: .consumable("coins_100"), .nonConsumable("remove_ads"))

  @Test("DOC-1: the shop delivers bought and restored purchases, no others, and takes back a refunded one")
  func bought() async throws {
    let phone = session.device()
    let shop = try phone.launchShop()
    session.person.nextPayment(.decline, .cancel)
    for times in 1...2 {
      _ = try await phone.run { try await shop.buy("coins_100") }
      try await session.expect("coins_100", .failed, times: times)
    }
    #expect(shop.coins == 0)

    for product in ["coins_100", "remove_ads"] {
      _ = try await phone.run { try await shop.buy(product) }
      try await session.transaction(of: product, in: .finished)
    }
    try await phone.restore()
    #expect(shop.coins == 100)

    #expect(session.refund("coins_100"))
    try await session.settle()
    #expect(shop.coins == 0)
    #expect(phone.queue.transactions.isEmpty)
  }

  @Test("DOC-1: two calls at once are one order, and deliver 100 coins")
  func doubleTap() async throws {
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.run {
      let taps = (1...2).map { _ in Task { try await shop.buy("coins_100") } }
      for tap in taps { _ = try await tap.value }
    }
    try await session.settle()
    #expect(session.store.transactions().map(\.state) == [.purchased])
    #expect(shop.coins == 100)
  }

  @Test(
    "DOC-1: a purchase that is refunded before a device gets it takes no coins from a later purchase there")
  func refundedBefore() async throws {
    session.buy("coins_100")
    #expect(session.refund("coins_100"))
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.logIn()
    try await session.settle()
    #expect(shop.coins == 0)
    _ = try await phone.run { try await shop.buy("coins_100") }
    try await session.settle()
    #expect(shop.coins == 100)
  }

  @Test(
    "DOC-1: a purchase that the shop could not save, and that is refunded, takes no coins from a later purchase")
  func refundedUnsaved() async throws {
    let folder = ShopFile.new()
    let phone = session.device()
    let shop = try phone.launchShop(file: folder.appending(path: "shop.json"))
    _ = try await phone.run { try await shop.buy("coins_100") }
    #expect(phone.queue.transactions.map(\.transactionState) == [.purchased])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(session.refund("coins_100"))
    try await session.settle()
    #expect(phone.queue.transactions.isEmpty)
    _ = try await phone.run { try await shop.buy("coins_100") }
    try await session.settle()
    #expect(shop.coins == 100)
  }

  @Test("DOC-1: a purchase without a connection delivers nothing, and a later one does")
  func offline() async throws {
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.logIn()
    session.isOffline = true
    await #expect(throws: (any Error).self) { try await phone.run { try await shop.buy("coins_100") } }
    #expect(shop.coins == 0)
    session.isOffline = false
    _ = try await phone.run { try await shop.buy("coins_100") }
    try await session.settle()
    #expect(shop.coins == 100)
  }

  @Test("DOC-1: a refund takes the coins from the device that has delivered them alone")
  func secondDevice() async throws {
    let (phone, tablet) = (session.device(), session.device("tablet"))
    let shop = try phone.launchShop()
    _ = try await phone.run { try await shop.buy("coins_100") }
    try await session.transaction(of: "coins_100", in: .finished)
    let second = try tablet.launchShop()
    try await tablet.logIn()
    #expect(shop.coins == 100 && second.coins == 0)
    #expect(session.refund("coins_100"))
    try await session.settle()
    #expect(shop.coins == 0 && second.coins == 0)
  }

  @Test("DOC-1: a purchase that the shop cannot save is not finished, and comes again")
  func fullDisk() async throws {
    let folder = ShopFile.new()
    let file = folder.appending(path: "shop.json")
    let phone = session.device()
    let shop = try phone.launchShop(file: file)
    _ = try await phone.run { try await shop.buy("coins_100") }
    #expect(shop.coins == 0 && phone.queue.transactions.map(\.transactionState) == [.purchased])
    phone.crash()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let next = try phone.launchShop(file: file)
    try await session.transaction(of: "coins_100", in: .finished)
    #expect(next.coins == 100)
  }

  @Test("DOC-1: the game of the test kit's examples delivers and takes back, too")
  func game() async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"), .subscription("pro_monthly"))
    let (phone, saved) = (session.device(), SavedGame())
    phone.launch { Game(saved) }
    session.person.nextPayment(.decline, .cancel)
    for _ in 1...2 { try await phone.buy("coins_100") }
    #expect(saved.coins == 0 && saved.delivered.isEmpty)
    for product in ["coins_100", "pro_monthly"] { try await phone.buy(product) }
    try await phone.restore()
    #expect(saved.coins == 100 && saved.proUntil != nil && saved.delivered.count == 2)
    for product in ["coins_100", "pro_monthly"] { #expect(session.refund(product)) }
    try await session.wait(until: "the coins are taken back") { saved.coins == 0 && saved.proUntil == nil }
    #expect(phone.queue.transactions.isEmpty)
  }
}
