import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// An account of a test, which calls the store as the SDK does.
struct Shopper {
  let store: TestStore
  let client: any TestClientProtocol
  let accountID: String
  var country: String
  /// The installation id that the app sends; nil for an app version without delivery leases.
  var device: UUID?

  var token: String {
    store.core.accessToken.issue(
      accountID: accountID, appID: TestShop.app.id, sessionID: "session", now: store.core.dependencies.clock.now())
  }

  @discardableResult
  func get(_ path: String) async throws -> TestResponse {
    var headers: HTTPFields = [.authorization: "Bearer \(token)"]
    headers[.onsideDevice] = device?.uuidString
    return try await client.execute(uri: path, method: .get, headers: headers) { $0 }
  }

  @discardableResult
  func post(_ path: String, body: String = "", key: String? = nil) async throws -> TestResponse {
    var headers: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
    headers[.idempotencyKey] = key
    headers[.onsideDevice] = device?.uuidString
    return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)) { $0 }
  }

  /// Requests an order and returns the raw answer.
  func tryOrder(_ request: OrderRequest, key: UUID) async throws -> TestResponse {
    let body = String(decoding: try WireCoding.encoder().encode(request), as: UTF8.self)
    return try await post("/v1/orders", body: body, key: key.uuidString.lowercased())
  }

  func order(_ product: String, key: UUID? = nil, token: String? = nil, quantity: Int = 1) async throws -> OrderMessage
  {
    let request = OrderRequest(
      productID: product, country: try TestShop.country(country), quantity: quantity, appAccountToken: token)
    let response = try await tryOrder(request, key: key ?? store.freshID())
    #expect(response.status == .created)
    return try response.message(OrderMessage.self)
  }

  func order(_ id: OrderID) async throws -> OrderMessage {
    try await get("/v1/orders/\(id)").message(OrderMessage.self)
  }

  /// Orders and pays with the card that succeeds.
  @discardableResult
  func buy(_ product: String, token: String? = nil, quantity: Int = 1) async throws -> OrderMessage {
    let order = try await order(product, token: token, quantity: quantity)
    let outcome = try await pay(order, with: .succeeds)
    #expect(outcome == .paid)
    return try await self.order(order.id)
  }

  @discardableResult
  func pay(_ order: OrderMessage, with card: SandboxCard) async throws -> PaymentOutcome {
    let token = try #require(order.paymentURL?.lastPathComponent)
    return try await store.core.payments.pay(
      token, with: .offered(card.rawValue, save: false), shownPrice: order.price.money)
  }

  func claim(_ id: OrderID) async throws -> OrderMessage {
    try await post("/v1/orders/\(id)/claim").message(OrderMessage.self)
  }

  func finish(_ id: OrderID) async throws -> HTTPResponse.Status {
    try await post("/v1/orders/\(id)/finish").status
  }

  func sync(_ cursor: String? = nil, wait: Int = 0) async throws -> SyncMessage {
    let query = cursor.map { "?cursor=\($0)&wait=\(wait)" } ?? ""
    return try await get("/v1/sync\(query)").message(SyncMessage.self)
  }

  func restorable() async throws -> [OrderMessage] {
    try await get("/v1/restorable").message(RestorableMessage.self).orders
  }

  /// The grants that replace an order, the oldest first.
  func grants(of id: OrderID) async throws -> [Order] {
    let (records, customer) = (store.core.orders.records, Customer(account: accountID, app: TestShop.app.id))
    return try await store.core.dependencies.database.read {
      try records.orders(.grants(of: id.uuid), of: customer, in: $0)
    }.sorted { $0.createdAt < $1.createdAt }
  }

  func history() async throws -> String {
    String(buffer: try await get("/v1/history").body)
  }
}

extension StoreCore {
  /// What the signed list of an account's entitlements in an app says.
  func entitlements(of customer: Customer) async throws -> [Entitlement] {
    let purchases = PurchaseRecords(products: orders.records.products, environment: .sandbox)
    return try await EntitlementService(dependencies.base, purchases: purchases).list(for: customer).entitlements
  }
}

extension TestStore {
  /// Removes an account; false when it is not there any more.
  func removeAccount(_ account: String) async throws -> Bool {
    let removal = AccountRemoval(
      orders: core.orders.records, cancellation: core.orders.cancellation, renewals: core.orders.renewals,
      environment: .sandbox, random: core.dependencies.random,
      methods: MethodRemovals(providers: core.providers, environment: .sandbox))
    let id = try #require(AccountID(account))
    return try await core.dependencies.database.write(at: clock.now()) { try removal.remove(id, in: $0) }
  }

  /// Registers the tests' app and what it sells.
  func openShop() async throws {
    try await core.apps.register(TestShop.app)
    try await core.catalogue.replace(try TestShop.catalogue(), of: TestShop.app.id)
  }

  /// A store that is open, and an account in a region.
  func shop(
    country: String = "NL", _ body: @escaping @Sendable (Shopper) async throws -> Void
  ) async throws {
    try await openShop()
    let account = try await account(country: country)
    try await test { client in
      try await body(Shopper(store: self, client: client, accountID: account, country: country))
    }
  }

  /// A new account.
  func account(country: String = "NL") async throws -> String {
    let id = freshID().uuidString.lowercased()
    let now = clock.now()
    try await core.dependencies.database.write { connection in
      try connection.execute(
        "INSERT INTO accounts(id, country, created_at) VALUES ($1, $2, $3)", [.text(id), .text(country), .date(now)])
    }
    return id
  }

  /// Moves an account to another region, as its owner does on the account's page.
  func move(_ account: String, to country: String) async throws {
    try await core.dependencies.database.write { connection in
      try connection.execute("UPDATE accounts SET country = $2 WHERE id = $1", [.text(account), .text(country)])
    }
    core.changes.wake(account: account)
  }

  /// Delivers all delayed events of the sandbox provider.
  func settle() async throws {
    for _ in 0..<3 {
      advance(by: .seconds(15))
      try await core.deliverOutbox()
    }
  }

  /// Saves a test card for an account; returns the method's id.
  @discardableResult
  func save(_ card: SandboxCard, of account: String) async throws -> String {
    let (id, provider) = (freshID().lowercase, core.providers.active.name)
    return try await core.dependencies.database.write(at: clock.now()) {
      try PaymentMethodRecords.record(card.details, of: provider, id: id, for: account, in: $0).id
    }
  }

  /// The payments of an order, the oldest first.
  func payments(of order: OrderID) async throws -> [String] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT id FROM payments WHERE order_id = $1 ORDER BY created_at", [.text(order.description)])
        .map { try $0.text("id") }
    }
  }

  func freshID() -> UUID { core.dependencies.random.uuid7(at: clock.now()) }

  func ledger(_ order: OrderID) async throws -> [Ledger.Entry] {
    try await core.dependencies.database.read { try Ledger.entries(of: order.uuid, in: $0) }
  }

  /// The balance of each ledger account: received minus given.
  func balances() async throws -> [String: Int64] {
    let rows = try await core.dependencies.database.read { try $0.rows("SELECT debit, credit, amount FROM ledger") }
    return try rows.reduce(into: [:]) { sums, row in
      sums[try row.text("debit"), default: 0] += try row.integer("amount")
      sums[try row.text("credit"), default: 0] -= try row.integer("amount")
    }
  }

  /// Plays the provider: sends a signed event, of the order's amount unless another is given, and returns the answer's
  /// status.
  ///
  /// - Parameter fields: further members of the JSON object, with a comma in front.
  func event(
    _ type: String, payment: String, order: OrderID, amount: Int64? = nil, id: String? = nil,
    further fields: String = "", signature: String? = nil, with client: any TestClientProtocol
  ) async throws -> HTTPResponse.Status {
    let price = try await core.dependencies.database.read { connection in
      try connection.row(
        """
        SELECT coalesce(p.amount, o.amount) AS amount, o.currency FROM orders o LEFT JOIN payments p ON p.id = $2
        WHERE o.id = $1
        """, [.text(order.description), .text(payment)]
      ).map { (try $0.integer("amount"), try $0.text("currency")) }
    }
    let body = #"""
      {"event_id":"\#(id ?? "\(payment):\(type)")","type":"\#(type)","payment_id":"\#(payment)",\#
      "order_id":"\#(order)","amount":\#(amount ?? price?.0 ?? 99),"currency":"\#(price?.1 ?? "EUR")"\#(fields)}
      """#
    let signature = signature ?? SandboxSignature.of(Array(body.utf8), key: core.sandboxProviderKey)
    return try await client.execute(
      uri: "/providers/sandbox/events", method: .post, headers: [.sandboxSignature: signature],
      body: ByteBuffer(string: body)
    ) { $0.status }
  }
}

extension TestResponse {
  func message<Message: Decodable>(_ type: Message.Type) throws -> Message {
    try WireCoding.decoder().decode(type, from: Data(body.readableBytesView))
  }

  /// The problem document of the answer; its form is checked.
  func problem() throws -> ProblemDetails {
    #expect(headers[.contentType] == "application/problem+json")
    let details = try message(ProblemDetails.self)
    #expect(details.status == status.code)
    #expect(details.type == "/problems/\(details.code)")
    return details
  }
}
