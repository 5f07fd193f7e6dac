import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("A test session", .timeLimit(.minutes(5)))
struct SessionTests {
  private let session = OnsideTestSession(
    selling: .consumable("coins"), .nonConsumable("no_ads"), .subscription("pro"))

  @Test("A call of the app beside a device stops with a message that names the device")
  func besideADevice() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run {
          _ = OnsideTestSession(selling: .consumable("coins_100")).device().launch { 0 }
          _ = Onside.defaultPaymentQueue()
        }
      })
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("phone.run { … }"))
  }

  @Test("PRD-1: malformed identifiers are listed as invalid, also one that the session sells")
  func malformedIdentifiers() async throws {
    let phone = OnsideTestSession(selling: .consumable("coins"), .consumable("100 coins")).device()
    phone.launch {}
    let response = try await phone.run { try await Onside.products(for: ["coins", "100 coins", "", "pro_\u{212A}"]) }
    #expect(response.products.map(\.productIdentifier) == ["coins"])
    #expect(response.invalidProductIdentifiers == ["", "100 coins", "pro_\u{212A}"])
  }

  @Test("LOC-4: two sessions in one process do not see each other; time and randomness are theirs")
  func independence() async throws {
    let other = OnsideTestSession(selling: .consumable("coins"), seed: 2)
    let (phone, second) = (session.device(), other.device())
    phone.launch()
    second.launch()
    try await phone.buy("coins")
    try await session.advance(by: .days(3))
    #expect(other.now != session.now)
    #expect(other.transactions().isEmpty && other.store.transactions().isEmpty)
    try await second.buy("coins")
    #expect(session.store.transactions().count == 1)
  }

  @Test("LOC-4: the same seed gives the same ids, another one others")
  func seed() async throws {
    func ids(_ seed: UInt64) async throws -> [UUID] {
      let session = OnsideTestSession(selling: .consumable("coins"), seed: seed)
      let phone = session.device()
      phone.launch()
      try await phone.buy("coins")
      try await phone.buy("coins")
      return session.transactions().map(\.id)
    }
    let first = try await ids(7)
    #expect(first.count == 2)
    let result = try await ids(7)
    #expect(result == first)
    let secondResult = try await ids(8)
    #expect(secondResult != first)
  }

  @Test("LOC-6: a session of a file with a broken product throws with its line and column")
  func brokenFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).storekit")
    defer { try? FileManager.default.removeItem(at: file) }
    let text =
      "{\n  \"products\": [{\"type\": \"Consumable\", \"displayPrice\": \"1\"}],\n  \"version\": {\"major\": 4}\n}"
    try Data(text.utf8).write(to: file)
    let error = #expect(throws: LocalStoreError.self) { try OnsideTestSession(contentsOf: file) }
    let expected =
      "\(file.path()):2:16: expected products[0]: \"productID\" with \(Product.identifierRule), got nothing"
    #expect(error?.localizedDescription == expected)
  }

  @Test("LOC-1: a store comes from a .storekit file, and one that is missing says where it was looked for")
  func file() async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let session = try OnsideTestSession(contentsOf: root.appending(path: "Examples/Shop.storekit"))
    let phone = session.device()
    phone.launch()
    let currencyCode = try await phone.product("coins_100").price.currencyCode
    #expect(currencyCode == "EUR")
    let error = #expect(throws: LocalStoreError.self) { try OnsideTestSession(configurationFileNamed: "Nowhere") }
    #expect(error?.description.contains("/Nowhere.storekit") == true)
  }

  @Test("LOC-4: moving the clock lets every renewal happen at its own moment, and each reaches the app")
  func renewals() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("pro")
    let start = session.now
    try await session.advance(by: .years(1))
    let renewals = app.delivered.filter { $0.deliveryReason == .renewed }
    #expect(renewals.map(\.purchaseDate) == (1...12).map { TimeSpan.months($0).after(start) - 3600 })
    #expect(session.now == TimeSpan.years(1).after(start))
    try await session.expect("pro", .finished, times: 13)
  }

  @Test("A renewal, an expiry and a refund happen when the test says so")
  func controls() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("pro")
    try session.subscription("pro").renew()
    try await session.expect("pro", .finished, times: 2)
    try session.subscription("pro").expire()
    #expect(session.subscription("pro").state == .expired)
    try await phone.buy("no_ads")
    #expect(session.refund("no_ads"))
    try await session.transaction(of: "no_ads", in: .refunded)
    try await session.settle()
    #expect(app.revoked.map(\.payment.product.productIdentifier) == ["no_ads"])
    #expect(!session.refund("no_ads") && !session.approve("coins"))
  }

  @Test("A purchase elsewhere reaches every device of the account; finishing it on one ends it on the others")
  func devices() async throws {
    let (phone, tablet) = (session.device("phone"), session.device("tablet"))
    let (first, second) = (phone.launch(), tablet.launch())
    (first.finishes, second.finishes) = (false, false)
    try await phone.logIn()
    try await tablet.logIn()
    #expect(session.buy("coins"))
    try await session.settle()
    #expect(first.delivered.map(\.id) == second.delivered.map(\.id) && first.delivered.count == 1)
    try phone.queue.finishTransaction(#require(first.delivered.first))
    try await session.expect("coins", .finished)
    #expect(tablet.queue.transactions.isEmpty)
  }

  @Test("A consumable that no device has finished reaches every running device of its account: there are no leases")
  func noLeases() async throws {
    let (phone, tablet) = (session.device("phone"), session.device("tablet"))
    let (first, second) = (phone.launch(), tablet.launch())
    (first.finishes, second.finishes) = (false, false)
    try await tablet.logIn()
    try await phone.buy("coins")
    #expect(first.delivered.map(\.transactionState) == [.purchased])
    #expect(second.delivered.map(\.id) == first.delivered.map(\.id))
  }

  @Test("LOC-3: the person logs in under any name, closes the login, cancels, or has a card that is declined")
  func person() async throws {
    let phone = session.device()
    let app = phone.launch()
    session.person.nextLogin(.dismiss, .logIn(as: "Anna"))
    await #expect(throws: OnsidePaymentQueueAddProductError.loginDiscarded) { try await phone.buy("coins") }
    session.person.nextPayment(.cancel, .decline)
    try await phone.buy("coins")
    try await phone.buy("coins")
    #expect(app.delivered.map(\.error) == [.cancelled, .cancelled])
    try await phone.buy("coins")
    let account = try await session.transaction(of: "coins", in: .finished).account
    #expect(account == "Anna")
  }

  @Test("A payment screen that is left open keeps the purchase open until the app is killed")
  func openScreen() async throws {
    let phone = session.device()
    phone.launch()
    session.person.nextPayment(.wait)
    try await phone.buy("coins")
    try await session.expect("coins", .purchasing)
    phone.crash()
    phone.launch()
    try await session.transaction(of: "coins", in: .failed)
  }

  @Test("QUE-30: how many are bought is known before the store is, and is in the story")
  func quantityOffline() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.logIn()
    var payment = OnsidePayment(product: try await phone.product("coins"))
    payment.quantity = 3
    session.isOffline = true
    try await phone.queue.add(payment)
    let transaction = try #require(session.transactions().first)
    #expect(transaction.quantity == 3 && transaction.account == nil)
    #expect(transaction.steps.first?.detail == "3 × coins")
  }

  @Test("RST-1: a restore brings back what the account owns, on another device, too")
  func restore() async throws {
    let (phone, tablet) = (session.device("phone"), session.device("tablet"))
    phone.launch()
    try await phone.buy("no_ads")
    try await session.transaction(of: "no_ads", in: .finished)
    let app = tablet.launch()
    try await tablet.restore()
    #expect(app.delivered.map(\.transactionState) == [.restored])
  }

  @Test("QUE-30: several of a consumable are one transaction, here and elsewhere, and a refund takes all of them back")
  func quantity() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("coins", quantity: 3)
    let bought = try await session.transaction(of: "coins", in: .finished)
    #expect(session.buy("coins", quantity: 2))
    #expect(!session.buy("no_ads", quantity: 2))
    try await session.settle()
    #expect(bought.quantity == 3 && bought.delivered?.payment.quantity == 3)
    #expect(app.delivered.map(\.payment.quantity) == [3, 2])
    #expect(session.store.refund(bought.id))
    try await session.settle()
    #expect(app.revoked.map(\.payment.quantity) == [3])
  }

  @Test("The app's own code runs with Onside as it is, also what it begins and what it is called back with")
  func facade() async throws {
    let phone = session.device()
    let app = phone.launch { FacadeApp() }
    try await phone.run { try await app.buy("coins") }
    try await session.transaction(of: "coins", in: .finished)
    #expect(app.queueSizes.last == 0)
  }

  @Test("An app that does not run is told of, and not a hang")
  func notRunning() async throws {
    let phone = session.device()
    try await withKnownIssue {
      try await phone.buy("coins")
    } matching: {
      "\($0)".contains("call launch(_:) first")
    }
  }
}

/// An app that knows only `Onside`.
@MainActor
private final class FacadeApp: OnsidePaymentTransactionObserver {
  var queueSizes: [Int] = []

  init() {
    Onside.initialize(storeKitConfigurationName: "a name that a real launch would look for")
    Onside.defaultPaymentQueue().add(observer: self)
  }

  func buy(_ identifier: String) async throws {
    let products = try await Onside.products(for: [identifier]).products
    try await Onside.defaultPaymentQueue().add(OnsidePayment(product: #require(products.first)))
  }

  func onsidePaymentQueue(_: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]) {
    for transaction in transactions where transaction.transactionState == .purchased {
      Task { Onside.defaultPaymentQueue().finishTransaction(transaction) }
    }
  }

  func onsidePaymentQueue(_: any OnsidePaymentQueue, removedTransactions: [OnsidePaymentTransaction]) {
    queueSizes.append(Onside.defaultPaymentQueue().transactions.count)
  }
}
