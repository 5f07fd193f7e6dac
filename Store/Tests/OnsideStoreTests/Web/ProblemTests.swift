import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreWeb

/// Routes that throw, hang or read a body, for the tests of the error handling around every route.
private struct OddRoutes: RouteGroup {
  static let fails = Route(.get, "/odd/fails", by: .anyone)
  static let waits = Route(.get, "/odd/waits", by: .anyone)
  static let reads = Route(.post, "/odd/reads", by: .anyone)
  struct Oops: Error { let secret = "the-secret-of-somebody" }

  let entered = AsyncStream.makeStream(of: Void.self)
  var failure: any Error = Oops()

  func addRoutes(to routes: StoreRoutes) {
    routes.on(Self.fails) { [failure] _, _ in throw failure }
    routes.on(Self.waits, limits: RouteLimits(time: .seconds(5))) { _, _ in
      entered.continuation.yield()
      try await Task.sleep(for: .seconds(3600))
      return .noContent
    }
    routes.on(Self.reads, limits: RouteLimits(body: 100)) { request, context in
      _ = try await request.body.collect(upTo: context.maxUploadSize)
      return .noContent
    }
  }
}

@Suite("Around every route", .timeLimit(.minutes(5)))
struct ProblemTests {
  @Test("STO-4: a fault tells its code and nothing else, to the caller and to the log")
  func fault() async throws {
    let log = LogRecorder()
    try await TestStore(logger: log.logger).test([OddRoutes()]) { client in
      let answer = try await client.execute(uri: "/odd/fails", method: .get) { $0 }
      #expect(answer.status == .internalServerError)
      let problem = try answer.problem()
      #expect(problem.code == .internalError)
      #expect(problem.detail == nil)
    }
    #expect(log.text.contains("Oops"))
    #expect(!log.text.contains("the-secret-of-somebody"))
  }

  @Test("STO-4: unknown paths and methods are problems with a stable code")
  func unknown() async throws {
    try await TestStore().test { client in
      let path = try await client.execute(uri: "/nothing/here", method: .get) { $0 }
      #expect(path.status == .notFound)
      let code = try path.problem().code
      #expect(code == .notFound)
      for method in [HTTPRequest.Method.put, .delete, .patch, .get] {
        let answer = try await client.execute(uri: "/v1/orders", method: method) { $0 }
        #expect(answer.status == .methodNotAllowed)
        let secondCode = try answer.problem().code
        #expect(secondCode == .methodNotAllowed)
      }
    }
  }

  @Test(
    "STO-4: a body that is not what the route takes is refused by its field",
    arguments: [
      ("{", "JSON"), ("[]", "JSON object"), ("{}", "country"),
      (#"{"product_id":1,"country":"NL","quantity":1}"#, "product_id"),
      (#"{"product_id":"coins","country":"XX","quantity":1}"#, "country"),
      (#"{"product_id":"coins","country":"NL","quantity":"1"}"#, "quantity"),
      (#"{"product_id":"coins","country":"NL","quantity":0}"#, "quantity"),
      (#"{"product_id":"coins","country":"NL","quantity":"1"}"#, "an integer in the field quantity"),
      (#"{"product_id":"coins","country":"NL","quantity":1.5}"#, "an integer in the field quantity"),
      (#"{"product_id":"coins","country":"NL","quantity":1e30}"#, "an integer in the field quantity"),
      (#"{"product_id":"coins","country":"NL","quantity":1001}"#, "quantity from 1 to 1000, got 1001"),
      (#"{"product_id":1,"country":"NL","quantity":1}"#, "a text in the field product_id"),
    ])
  func malformed(body: String, word: String) async throws {
    try await TestStore().shop { shopper in
      let answer = try await shopper.post("/v1/orders", body: body, key: UUID().uuidString)
      #expect(answer.status == .badRequest)
      let problem = try answer.problem()
      #expect(problem.code == .invalidRequest)
      #expect(problem.detail?.contains(word) == true, "got \(problem.detail ?? "nothing")")
    }
  }

  @Test("STO-4: a body of another media type is refused")
  func mediaType() async throws {
    try await TestStore().shop { shopper in
      let answer = try await shopper.client.execute(
        uri: "/v1/orders", method: .post,
        headers: [
          .authorization: "Bearer \(shopper.token)", .contentType: "text/plain",
          .idempotencyKey: UUID().uuidString,
        ], body: ByteBuffer(string: "{}")
      ) { $0 }
      #expect(answer.status == .unsupportedMediaType)
    }
  }

  @Test(
    "STO-7: no, malformed and expired access tokens are refused",
    arguments: ["", "Bearer", "Bearer x", "Basic x", "Bearer a.b"])
  func tokens(header: String) async throws {
    try await TestStore().shop { shopper in
      for path in ["/v1/sync", "/v1/restorable", "/v1/history"] {
        let answer = try await shopper.client.execute(
          uri: path, method: .get, headers: header.isEmpty ? [:] : [.authorization: header]
        ) { $0 }
        #expect(answer.status == .unauthorized)
        let code = try answer.problem().code
        #expect(code == .notAuthenticated)
        #expect(answer.headers[.wwwAuthenticate] == "Bearer")
      }
      let token = shopper.token
      shopper.store.advance(by: .seconds(601))
      let late = try await shopper.client.execute(
        uri: "/v1/sync", method: .get, headers: [.authorization: "Bearer \(token)"]
      ) { $0.status }
      #expect(late == .unauthorized)
    }
  }

  @Test("STO-5: a body over the route's limit is 413, said or not said in advance")
  func bodyLimit() async throws {
    try await TestStore().test([OddRoutes()]) { client in
      let fits = try await client.execute(
        uri: "/odd/reads", method: .post, body: ByteBuffer(repeating: 1, count: 100)
      ) { $0.status }
      #expect(fits == .noContent)
      let large = try await client.execute(
        uri: "/odd/reads", method: .post, body: ByteBuffer(repeating: 1, count: 101)
      ) { $0 }
      #expect(large.status == .contentTooLarge)
      let code = try large.problem().code
      #expect(code == .bodyTooLarge)
    }
  }

  @Test("STO-5: too many requests of one client are 429 with Retry-After, and go on later")
  func rateLimit() async throws {
    let store = try await TestStore { $0.limits.perClient = RateLimit(perSecond: 1, burst: 2) }
    try await store.test { client in
      for _ in 0..<2 {
        let actualStatus = try await client.execute(uri: "/healthz", method: .get) { $0.status }
        #expect(actualStatus == .ok)
      }
      let refused = try await client.execute(uri: "/healthz", method: .get) { $0 }
      #expect(refused.status == .tooManyRequests)
      #expect(refused.headers[.retryAfter] == "1")
      let code = try refused.problem().code
      #expect(code == .rateLimited)
      store.advance(by: .seconds(1))
      let status = try await client.execute(uri: "/healthz", method: .get) { $0.status }
      #expect(status == .ok)
    }
  }

  @Test("STO-5: an account has its own limit, wherever it calls from")
  func accountLimit() async throws {
    try await TestStore { $0.limits.perAccount = RateLimit(perSecond: 1, burst: 3) }.shop { shopper in
      for _ in 0..<3 {
        let answer = try await shopper.get("/v1/sync")
        #expect(answer.status == .ok)
      }
      let code = try await shopper.get("/v1/sync").problem().code
      #expect(code == .rateLimited)
    }
  }

  @Test("STO-5: behind a proxy the address that the proxy has added counts, not what the client says")
  func proxy() async throws {
    let store = try await TestStore {
      $0.isBehindProxy = true
      $0.limits.perClient = RateLimit(perSecond: 1, burst: 1)
    }
    try await store.test { client in
      let answers: [(String, HTTPResponse.Status)] = [
        ("1.1.1.1, 9.9.9.9", .ok), ("2.2.2.2, 9.9.9.9", .tooManyRequests), ("9.9.9.9, 3.3.3.3", .ok),
      ]
      for (forwarded, expected) in answers {
        let status = try await client.execute(
          uri: "/healthz", method: .get, headers: [.forwardedFor: forwarded]
        ) { $0.status }
        #expect(status == expected)
      }
    }
  }

  @Test("STO-5: a route that takes too long is ended with 503, and one too many is turned away at once")
  func timeAndOverload() async throws {
    let store = try await TestStore { $0.limits.requestsInFlight = 1 }
    let odd = OddRoutes()
    try await store.test([odd]) { client in
      async let slow = client.execute(uri: "/odd/waits", method: .get) { $0 }
      for await _ in odd.entered.stream { break }
      let refused = try await client.execute(uri: "/healthz", method: .get) { $0 }
      #expect(refused.status == .serviceUnavailable)
      #expect(refused.headers[.retryAfter] == "1")
      let code = try refused.problem().code
      #expect(code == .overloaded)
      try await store.deadlines(1)
      store.advance(by: .milliseconds(5500))
      let ended = try await slow
      #expect(ended.status == .serviceUnavailable)
      let secondCode = try ended.problem().code
      #expect(secondCode == .timedOut)
      let status = try await client.execute(uri: "/healthz", method: .get) { $0.status }
      #expect(status == .ok)
    }
  }

  @Test(
    "STO-4: a full disk is 503 storage_full, leaves no half order, and goes on when there is room",
    .onSQLite("the test limits the pages of its file"))
  func fullDisk() async throws {
    try await TestStore().shop { shopper in
      let database = shopper.store.core.dependencies.database
      let pages: Int64 = try await database.write { try $0.row("PRAGMA page_count")?.integer("page_count") ?? 0 }
      try await database.write { _ = try $0.rows("PRAGMA max_page_count = \(pages + 2)") }
      let request = OrderRequest(
        productID: "coins", country: .netherlands, appAccountToken: String(repeating: "x", count: 500))
      var accepted = 0
      var refused: TestResponse?
      while refused == nil {
        let answer = try await shopper.tryOrder(request, key: shopper.store.freshID())
        if answer.status == .created { accepted += 1 } else { refused = answer }
      }
      #expect(refused?.status == .serviceUnavailable)
      let code = try refused?.problem().code
      #expect(code == .storageFull)
      #expect(refused?.headers[.retryAfter] != nil)
      let count: Int64? = try await database.read { try $0.row("SELECT count(*) AS n FROM orders")?.integer("n") }
      #expect(count == Int64(accepted))
      func health() async throws -> TestResponse {
        try await shopper.client.execute(uri: "/healthz", method: .get) { $0 }
      }
      let sick = try await health()
      #expect(sick.status == .serviceUnavailable)
      let secondCode = try sick.problem().code
      #expect(secondCode == .storageFull)
      try await database.write { _ = try $0.rows("PRAGMA max_page_count = 1000000") }
      let status = try await health().status
      #expect(status == .ok)
      let secondStatus = try await shopper.tryOrder(request, key: shopper.store.freshID()).status
      #expect(secondStatus == .created)
    }
  }

  @Test(
    "what a database server leaves open, and a guard file that fails, is 503 storage_unavailable, to be tried again",
    arguments: [StorageError.unreachable("no server"), .outcomeUnknown("no answer"), .guardFile("it is a folder")])
  func failingServer(error: StorageError) {
    let problem = Problem(describing: error)
    #expect(problem.status == .serviceUnavailable)
    #expect(problem.code == .storageUnavailable)
    #expect(problem.retryAfter == 30)
  }

  @Test(
    "STO-4: a text that the database cannot keep is 400, all else that it refuses is 500; the log has the server's code",
    arguments: [
      ("22021", StorageError.invalidValue(sqlState: "22021", message: "marked"), 400, ProblemCode.invalidRequest),
      ("22P02", .refused(sqlState: "22P02", message: "marked"), 500, .internalError),
      ("42601", .refused(sqlState: "42601", message: "marked"), 500, .internalError),
    ])
  func refusedByServer(sqlState: String, error: StorageError, status: Int, code: ProblemCode) async throws {
    let recorder = LogRecorder()
    try await TestStore(logger: recorder.logger).test([OddRoutes(failure: error)]) { client in
      let answer = try await client.execute(uri: "/odd/fails", method: .get) { $0 }
      #expect(answer.status.code == status)
      let actualCode = try answer.problem().code
      #expect(actualCode == code)
      #expect(!String(buffer: answer.body).contains("marked"))
    }
    #expect(recorder.text.contains(sqlState) && !recorder.text.contains("marked"))
  }

  @Test(
    "STO-2, STO-4: a failing disk is 503 storage_unavailable, leaves no partial writes, and recovers",
    .onSQLite("the test makes its file's disk fail"))
  func failingDisk() async throws {
    let recorder = LogRecorder()
    try await TestStore(logger: recorder.logger).shop { shopper in
      let bought = try await shopper.buy("coins")
      let (request, id) = (OrderRequest(productID: "coins", country: .netherlands), shopper.store.freshID())
      let log = try OpenFile(shopper.store.folder.file("store.db-wal"))
      try log.refuseWrites()
      for answer in [
        try await shopper.tryOrder(request, key: id), try await shopper.post("/v1/orders/\(bought.id)/finish"),
      ] {
        #expect(answer.status == .serviceUnavailable)
        let code = try answer.problem().code
        #expect(code == .storageUnavailable)
        #expect(answer.headers[.retryAfter] != nil)
      }
      #expect(recorder.text.contains("sqlite"))
      let order = try await shopper.order(bought.id)
      #expect(order == bought)
      try log.takeWrites()
      let status = try await shopper.get("/v1/orders/\(OrderID(id))").status
      #expect(status == .notFound)
      let secondOrder = try await shopper.order(bought.id)
      #expect(secondOrder == bought)
      let secondStatus = try await shopper.tryOrder(request, key: id).status
      #expect(secondStatus == .created)
      let again = try await TestStore(in: shopper.store.folder, clock: shopper.store.clock)
      let database = again.core.dependencies.database
      let integer = try await database.read { try $0.row("SELECT count(*) AS n FROM orders")?.integer("n") }
      #expect(integer == 2)
      let text = try await database.read { try $0.row("PRAGMA integrity_check")?.text("integrity_check") }
      #expect(text == "ok")
    }
  }

  @Test("SEC-1: tokens, payment page names and what apps say of their users appear in no log and no metric")
  func redaction() async throws {
    let log = LogRecorder()
    let store = try await TestStore(logger: log.logger)
    try await store.shop { shopper in
      let order = try await shopper.order("coins", token: "marked-account-token")
      _ = try await shopper.pay(order, with: .declined)
      _ = try await shopper.get("/pay/\(try #require(order.paymentURL).lastPathComponent)")
      _ = try await shopper.get("/v1/orders/\(order.id)")
      _ = try await shopper.get("/marked-path?marked=query")
      try await shopper.post("/v1/orders", body: "marked-body", key: "marked-key")
      let metrics = try await shopper.client.execute(uri: "/metrics", method: .get) { String(buffer: $0.body) }
      #expect(metrics.contains(#"onside_http_requests_total{route="POST /v1/orders",status="2xx"} 1"#))
      let markers = [
        "marked", shopper.token, shopper.accountID, order.id.description,
        try #require(order.paymentURL).lastPathComponent,
      ]
      for marker in markers {
        #expect(!metrics.contains(marker))
        #expect(!log.text.contains(marker), "\(marker) in the log")
      }
      #expect(log.text.contains("/v1/orders/{id}"))
    }
    #expect("\(store.core.secrets)" == "redacted")
  }

  @Test("Metrics are Prometheus text")
  func metrics() {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "a.total", dimensions: [("x", "1\"\\\n")]).increment(by: 2)
    metrics.makeCounter(label: "a.total", dimensions: [("x", "1\"\\\n")]).increment(by: 3)
    metrics.makeMeter(label: "b", dimensions: []).set(1.5)
    metrics.makeTimer(label: "c_seconds", dimensions: []).recordNanoseconds(3_000_000)
    let text = metrics.text()
    #expect(text.contains("# TYPE a_total counter\na_total{x=\"1\\\"\\\\\\n\"} 5\n"))
    #expect(text.contains("# TYPE b gauge\nb 1.5\n"))
    #expect(text.contains("c_seconds_bucket{le=\"0.0025\"} 0\nc_seconds_bucket{le=\"0.005\"} 1\n"))
    #expect(text.contains("c_seconds_bucket{le=\"+Inf\"} 1\nc_seconds_sum 0.003\nc_seconds_count 1\n"))
  }
}
