import Foundation
import FoundationNetworking
import OnsideAPI
import OnsideCommerce
import ScriptedBrowser
import StoreTestSupport

/// An app that speaks with a running store, and the person who pays.
struct StoreClient: Sendable {
  let address: URL
  let accessToken: String

  /// An answer that is not the one wanted.
  struct Refusal: Error {
    let status: Int
    let body: String
  }

  func order(_ id: OrderID) async throws -> OrderMessage {
    let body = try WireCoding.encoder().encode(OrderRequest(productID: "gold", country: .netherlands))
    return try await order(send(.createOrder, body: body, key: id))
  }

  func get(_ id: OrderID) async throws -> OrderMessage { try await order(send(.order, id: id)) }

  func finish(_ id: OrderID) async throws { _ = try await send(.finishOrder, id: id) }

  /// What has changed since a cursor; without one, all that a device needs.
  func sync(_ cursor: String? = nil) async throws -> SyncMessage {
    try WireCoding.decoder().decode(
      SyncMessage.self, from: await send(.sync, query: cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? []))
  }

  /// Pays on the order's page, as a person does.
  func pay(_ id: OrderID) async throws {
    guard let url = try await get(id).paymentURL else { return }
    let browser = Browser()
    let page = try await browser.open(url)
    var form = try page.form(with: "method")
    form.set("method", to: "card_succeeds")
    let paid = try await browser.submit(form, of: page)
    guard paid.status == 200 else { throw Refusal(status: paid.status, body: paid.text) }
  }

  /// Asks for a refund on the order's page, as a person does.
  func askForRefund(_ id: OrderID) async throws {
    let url = try WireCoding.decoder().decode(HostedPageMessage.self, from: await send(.orderRefundPage, id: id)).url
    let browser = Browser()
    let page = try await browser.open(url)
    var form = try page.form(with: "reason")
    form.set("reason", to: "not_delivered")
    form.set("note", to: "Where is\nmy gold?\u{202E}!")
    let asked = try await browser.submit(form, of: page)
    guard asked.status == 200 else { throw Refusal(status: asked.status, body: asked.text) }
  }

  private func order(_ data: Data) throws -> OrderMessage {
    try WireCoding.decoder().decode(OrderMessage.self, from: data)
  }

  private func send(
    _ route: Route, id: OrderID? = nil, body: Data? = nil, key: OrderID? = nil, query: [URLQueryItem] = []
  ) async throws -> Data {
    let path = id.map { route.path($0.description) } ?? route.path
    var request = URLRequest(url: address.appending(path: path).appending(queryItems: query))
    request.httpMethod = route.method.rawValue
    request.httpBody = body
    request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
    request.setValue(key?.description, forHTTPHeaderField: WireHeader.idempotencyKey)
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let (data, response) = try await URLSession.shared.answer(to: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw Refusal(status: status, body: String(decoding: data, as: UTF8.self))
    }
    return data
  }
}
