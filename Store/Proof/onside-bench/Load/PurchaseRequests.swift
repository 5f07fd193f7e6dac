import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StorePayments

/// The requests of purchases: order, the provider's signed event, finish. The ids are made beforehand and grow, so that
/// nothing has to be read from an answer to send the next request.
struct PurchaseRequests: Sendable {
  static let kinds = ["order", "provider's event", "finish"]

  let accounts: [TokenMessage]
  private let key: SymmetricKey

  /// Reads the key that the store shares with its sandbox provider from the store's database.
  init(_ place: Workplace, accounts: [TokenMessage]) async throws {
    self.accounts = accounts
    key = try await StoreDatabase.providerKey(place)
  }

  init(key: SymmetricKey, accounts: [TokenMessage]) {
    self.key = key
    self.accounts = accounts
  }

  /// The requests of `count` purchases, spread over the accounts; without `finish` they stay unfinished for the app.
  func make(_ count: Int, finish: Bool = true) throws -> [[Load.Request]] {
    // The ids of one batch lie one after the other in time, as those of many devices do.
    let start = Platform.now()
    return try (0..<count).map { index in
      let date = start.addingTimeInterval(Double(index) / 10_000)
      return try purchase(date, by: accounts[index % accounts.count], finish: finish)
    }
  }

  private func purchase(_ date: Date, by account: TokenMessage, finish: Bool) throws -> [Load.Request] {
    let order = OrderID(UUID.version7(at: date, random: Platform.randomBytes(10)))
    let authorization = "Authorization: Bearer \(account.accessToken)"
    let message = OrderRequest(productID: ExampleShop.products[0], country: account.country, language: "nl")
    let made = HTTPText.post(
      Route.createOrder.path, headers: [authorization, "\(WireHeader.idempotencyKey): \(order)"],
      body: Array(try WireCoding.encoder().encode(message)))
    let requests = [Load.Request(bytes: made, kind: 0, status: 201), event(order, at: date)]
    guard finish else { return requests }
    let done = HTTPText.post(Route.finishOrder.path("\(order)"), headers: [authorization])
    return requests + [Load.Request(bytes: done, kind: 2, status: 204)]
  }

  private func event(_ order: OrderID, at date: Date) -> Load.Request {
    let payment = UUID.version7(at: date, random: Platform.randomBytes(10)).uuidString.lowercased()
    let event = UUID.version7(at: date, random: Platform.randomBytes(10)).uuidString.lowercased()
    let body = Array(
      (#"{"event_id":"\#(event)","order_id":"\#(order)","payment_id":"\#(payment)","type":"succeeded","#
        + #""amount":\#(ExampleShop.price.amount),"currency":"\#(ExampleShop.price.currency)"}"#).utf8)
    let signature = Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: body, using: key))
    let bytes = HTTPText.post(
      Route.providerEvents.path("sandbox"), headers: ["\(SandboxSignature.header): \(signature)"], body: body)
    return Load.Request(bytes: bytes, kind: 1, status: 204)
  }
}
