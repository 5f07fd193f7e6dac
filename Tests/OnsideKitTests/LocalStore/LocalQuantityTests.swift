import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Several of a consumable in local testing", .timeLimit(.minutes(5)))
struct LocalQuantityTests {
  @Test("QUE-30: three are one purchase at three times the price, which the page shows and the file keeps")
  func three() async throws {
    let first = try LocalRig(keeping: true)
    var payment = OnsidePayment(product: try await first.product(LocalFile.coins))
    payment.quantity = 3
    try await first.queue.add(payment)
    let bought = try await first.watcher.first(.purchased)
    #expect(bought.payment.quantity == 3)
    let page = try #require(first.browser.pages(of: .payment).first)
    #expect(page.html.contains("<h1>Buy 3 × 100 &lt;coins&gt;"))
    #expect(page.html.contains("2,97"))
    let second = try await first.restart()
    let kept = try #require(second.store.transactions().first)
    #expect(kept.id == bought.id && kept.quantity == 3)
    #expect(kept.price == Money(minorUnits: 297, currency: .eur))
    let quantity = try await second.watcher.first(.purchased).payment.quantity
    #expect(quantity == 3)
    await second.close()
  }

  @Test("QUE-30: three that were bought elsewhere arrive as three, and a refund takes three back")
  func elsewhere() async throws {
    let rig = try LocalRig()
    try await rig.client.login()
    let id = try #require(rig.store.buy(LocalFile.coins, quantity: 3))
    let quantity = try await rig.watcher.first(.purchased).payment.quantity
    #expect(quantity == 3)
    #expect(rig.store.refund(id))
    await rig.watcher.until { $0.revocations.map(\.id) == [id] }
    #expect(rig.watcher.revocations.map(\.payment.quantity) == [3])
    await rig.close()
  }

  @Test("QUE-30: none, too many, and several of what is no consumable are not sold")
  func refused() async throws {
    let rig = try LocalRig()
    for quantity in [-1, 0, 1001, .max] { #expect(rig.store.buy(LocalFile.coins, quantity: quantity) == nil) }
    for product in [LocalFile.adFree, LocalFile.season, LocalFile.monthly] {
      #expect(rig.store.buy(product, quantity: 2) == nil)
    }
    #expect(rig.store.transactions().isEmpty)
    #expect(rig.store.buy(LocalFile.coins, quantity: 1000) != nil)
    await rig.close()
  }
}
