import Foundation
import OnsideCommerce
import OnsideKit

/// A device whose user subscribes. It is launched anew for each part of the play, and says what the SDK knows then.
@MainActor
final class SubscriptionDevice {
  nonisolated static let group = "plans"
  nonisolated static let basic = "lumen_basic"
  nonisolated static let plus = "lumen_plus"

  private let store: URL
  private let storage: URL
  private let screens: any ScreenPresenter
  /// A line for each wish that was answered.
  private let answers = DemoProcess.lines(of: .standardInput)
  private var client: OnsideClient
  private var app: AppObserver

  init(store: URL, storage: URL, screens: any ScreenPresenter) throws {
    (self.store, self.storage, self.screens) = (store, storage, screens)
    (client, app) = try Self.launch(store: store, storage: storage, screens: screens)
  }

  func run() async throws {
    try await startTrial()
    try await renew()
    try await failAndGoOn()
    try await upgrade()
    try await pause()
    try await lapse()
    try await winBack()
    try await refund()
    await client.close()
  }

  private func startTrial() async throws {
    let bought = try await buy(Self.basic)
    try await expectEntitled(to: [Self.basic])
    let next = try await status().nextPrice?.formatted ?? ""
    try await prove(
      "trial", proof: "\(Self.basic) costs nothing until \(Self.day(bought.expirationDate)), then \(next) a month")
  }

  private func renew() async throws {
    let before = try await status()
    try await ask("end-period")
    let renewal = try await renewal(after: before)
    try await expectEntitled(to: [Self.basic])
    let purchases = try await HistoryCheck(store: store).purchases(try await history())
    try expect(
      purchases.map(\.transactionReason.rawValue).sorted() == ["PURCHASE", "RENEWAL"],
      "the signed history has \(purchases.map(\.transactionReason.rawValue)), expected a purchase and its renewal")
    try await prove(
      "renewal",
      proof: "until \(Self.day(renewal.expirationDate)), delivered to the app as \(renewal.deliveryReason.rawValue), "
        + "in the signed history")
  }

  private func failAndGoOn() async throws {
    try await client.managePaymentMethods()
    let before = try await status()
    try await ask("end-period")
    let grace = try await status { $0.state == .inGracePeriod }
    try await relaunch()
    try await expectEntitled(to: [Self.basic])
    try await prove(
      "failed card", proof: "\(Self.basic) stays usable until \(Self.day(grace.gracePeriodExpirationDate))")
    try await client.managePaymentMethods()
    let renewal = try await renewal(after: before)
    let end = before.expirationDate.map { Period.oneMonth.adding(to: $0) }
    try expect(renewal.expirationDate == end, "the date has moved to \(Self.day(renewal.expirationDate))")
    try await prove(
      "new card", proof: "charged at once, and the date stays: until \(Self.day(renewal.expirationDate))")
  }

  private func upgrade() async throws {
    try await ask("days", "10")
    let bought = try await buy(Self.plus)
    try await relaunch()
    try await expectEntitled(to: [Self.plus])
    try await prove("upgrade", proof: "\(Self.plus) at once, until \(Self.day(bought.expirationDate))")
  }

  private func pause() async throws {
    let planned = try await status()
    try await ask("pause")
    try await ask("end-period")
    let paused = try await status { $0.state == .paused }
    try await relaunch()
    try await expectEntitled(to: [])
    try await prove(
      "pause",
      proof: "from \(Self.day(planned.expirationDate)) until \(Self.day(paused.pausedUntil)), "
        + "nothing can be used")
    try await ask("end-pause")
    _ = try await status { $0.state == .subscribed }
    let renewal = try await renewal(after: planned)
    try await relaunch()
    try await expectEntitled(to: [Self.plus])
    try await prove("resumption", proof: "the pause has ended by itself: until \(Self.day(renewal.expirationDate))")
  }

  private func lapse() async throws {
    try await ask("switch-off")
    _ = try await status { !$0.willAutoRenew }
    try await ask("end-period")
    _ = try await status { $0.state == .expired }
    try await relaunch()
    try await expectEntitled(to: [])
    try await prove("lapse", proof: "switched off on the account page: nothing is charged, and nothing can be used")
  }

  private func winBack() async throws {
    try await ask("days", "200")
    let offers = try await status().offers
    guard let offer = offers.first else { throw DemoFailure("there is no offer to come back") }
    try await prove("offer", proof: "who has left for half a year may have \(offer.offerIdentifier)")
    let bought = try await buy(offer.productIdentifier, with: offer.offerIdentifier)
    try await expectEntitled(to: [Self.basic])
    let before = try await status()
    try await prove(
      "win-back",
      proof: "\(offer.offerIdentifier) until \(Self.day(bought.expirationDate)), "
        + "the next month costs \(before.nextPrice?.formatted ?? "nothing"), too")
    try await ask("end-period")
    let renewal = try await renewal(after: before)
    try await prove("offer renewed", proof: "until \(Self.day(renewal.expirationDate))")
  }

  private func refund() async throws {
    let order = try await HistoryCheck(store: store).purchases(try await history()).max {
      $0.purchaseDate < $1.purchaseDate
    }
    guard let order else { throw DemoFailure("the signed history is empty") }
    try await ask("refund", order.orderID.uuidString.lowercased())
    _ = try await status { $0.state == .revoked }
    try await expectEntitled(to: [])
    let now = try await HistoryCheck(store: store).purchases(try await history())
    try expect(
      now.first { $0.orderID == order.orderID }?.revocation != nil, "the signed history does not know of the refund")
    try await prove("refund", proof: "taken back in the app and in the signed history of \(now.count) purchases")
  }
}

extension SubscriptionDevice {
  private static func launch(
    store: URL, storage: URL, screens: any ScreenPresenter
  ) throws -> (OnsideClient, AppObserver) {
    var dependencies = Dependencies.live(storageFolder: storage, screens: screens)
    dependencies.keepSecretsInFiles()
    let client = OnsideClient(
      configuration: try OnsideConfiguration(storeURL: store, appIdentifier: Stage.app, storageFolder: storage),
      dependencies: dependencies)
    let app = AppObserver(assumedRegion: "NL")
    client.delegate = app
    client.defaultPaymentQueue().delegate = app
    client.defaultPaymentQueue().add(observer: app)
    return (client, app)
  }

  /// Ends the app and starts it again on the same storage: it asks the store what may be used.
  private func relaunch() async throws {
    await client.close()
    (client, app) = try Self.launch(store: store, storage: storage, screens: screens)
  }

  private func buy(_ id: String, with offer: String? = nil) async throws -> OnsidePaymentTransaction {
    guard let product = try await client.products(for: [id]).products.first else {
      throw DemoFailure("\(id) is not sold")
    }
    let queue = client.defaultPaymentQueue()
    var payment = OnsidePayment(product: product)
    payment.offer = offer.map { OnsidePaymentOffer(offerIdentifier: $0) }
    try await queue.add(payment)
    let bought = try await app.transaction(of: id, .purchased)
    queue.finishTransaction(bought)
    try await app.removal(of: bought)
    return bought
  }

  /// Waits for the payment of the period after the present one, and finishes it.
  private func renewal(after status: OnsideSubscriptionStatus) async throws -> OnsidePaymentTransaction {
    let heard = try await app.next("a renewal") {
      guard let update = $0.update, update.deliveryReason == .renewed, let end = update.expirationDate else {
        return false
      }
      return status.expirationDate.map { end > $0 } ?? true
    }
    guard let renewal = heard.update else { throw DemoFailure("lost a renewal") }
    client.defaultPaymentQueue().finishTransaction(renewal)
    try await app.removal(of: renewal)
    return renewal
  }

  private func status(
    where isRight: (OnsideSubscriptionStatus) -> Bool = { _ in true }
  ) async throws -> OnsideSubscriptionStatus {
    for _ in 0..<600 {
      let status = try await client.subscriptionStatus(group: Self.group)
      if isRight(status) { return status }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw DemoFailure(
      "the subscription did not become as expected: \(try await client.subscriptionStatus(group: Self.group))")
  }

  /// Waits until exactly these products may be used, by the list that the store has signed.
  private func expectEntitled(to products: [String]) async throws {
    for _ in 0..<600 {
      if await client.entitlements.filter(\.isActive).map(\.productIdentifier) == products { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw DemoFailure("expected \(products) to be usable, got \(await client.entitlements)")
  }

  /// Reports a step that is to be proved from outside, too; returns when that is done.
  private func prove(_ title: String, proof: String) async throws {
    Report.prove(title, proof: proof)
    try await hear()
  }

  /// Asks for what the app cannot do; returns when it is done.
  private func ask(_ wish: String, _ argument: String = "-") async throws {
    Report.ask(wish, argument)
    try await hear()
  }

  private func hear() async throws {
    for await _ in answers { return }
    throw DemoFailure("the demonstration has ended")
  }

  private func history() async throws -> String {
    guard let text = try await client.signedInAppsHistory().string else { throw DemoFailure("the history is not text") }
    return text
  }

  private static func day(_ date: Date?) -> String { date.map { String($0.ISO8601Format().prefix(10)) } ?? "never" }
}
