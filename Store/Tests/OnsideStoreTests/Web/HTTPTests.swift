import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// A route that reads a body.
private struct BodyRoutes: RouteGroup {
  static let reads = Route(.post, "/body", by: .anyone)

  func addRoutes(to routes: StoreRoutes) {
    routes.on(Self.reads, limits: RouteLimits(body: 1000)) { request, context in
      let body = try await request.body.collect(upTo: context.maxUploadSize)
      return .bytes(Array("\(body.readableBytes)".utf8), contentType: "text/plain")
    }
  }
}

@Suite("HTTP", .timeLimit(.minutes(5)))
struct HTTPTests {
  private static let post = "POST /body HTTP/1.1\r\nHost: x\r\n"

  @Test("STO-4: 405 and OPTIONS say which methods a path has")
  func methods() async throws {
    try await TestStore().test { client in
      let refused = try await client.execute(uri: "/v1/orders", method: .get) { $0 }
      #expect(refused.status == .methodNotAllowed && refused.headers[.allow] == "POST, OPTIONS")
      let traced = try await client.execute(uri: "/healthz", method: .trace) { $0 }
      #expect(traced.status == .methodNotAllowed && traced.headers[.allow] == "GET, HEAD, OPTIONS")
      for path in ["/v1/orders", "/healthz"] {
        let options = try await client.execute(uri: path, method: .options) { $0 }
        #expect(options.status == .noContent && options.headers[.allow]?.hasSuffix("OPTIONS") == true)
      }
      let status = try await client.execute(uri: "/nothing", method: .options) { $0.status }
      #expect(status == .notFound)
    }
  }

  @Test(
    "STO-4: a request without a Host, or with two, is refused",
    arguments: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n", "host: a\r\nHOST: b\r\n"])
  func host(fields: String) async throws {
    try await TestStore().live { address in
      let socket = try RawSocket(address)
      socket.send("GET /.well-known/jwks.json HTTP/1.1\r\n\(fields)\r\n")
      let answer = try await socket.receive()
      #expect(answer?.hasPrefix("HTTP/1.1 400") == true && answer?.contains("invalid_request") == true)
    }
  }

  @Test("A health check in HTTP/1.0, which knows no Host, is answered")
  func oldHealthCheck() async throws {
    try await TestStore().live { address in
      let socket = try RawSocket(address)
      socket.send("GET /healthz HTTP/1.0\r\n\r\n")
      let reply = try await socket.receive()
      #expect(reply?.contains(" 200 OK") == true)
    }
  }

  @Test("An answer to HEAD has no body, on an unknown path either: the next answer follows at once")
  func head() async throws {
    try await TestStore().live { address in
      for path in ["/nowhere", "/healthz"] {
        let socket = try RawSocket(address)
        socket.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let answers = try await socket.receiveAll()
        #expect(answers.contains("\r\n\r\nHTTP/1.1 200 OK"), "\(answers)")
      }
    }
  }

  @Test("STO-5: a request for another protocol is answered, and ends the connection")
  func upgrade() async throws {
    try await TestStore().live { address in
      let socket = try RawSocket(address)
      socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
      let answer = try await socket.receiveAll()
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.lowercased().contains("connection: close"))
    }
  }

  @Test("STO-5: a head over the limit is 431, a problem, and the end of the connection")
  func largeHead() async throws {
    try await TestStore().live { address in
      for field in ["X: \(String(repeating: "y", count: 40_000))\r\n", String(repeating: "X: y\r\n", count: 200)] {
        let socket = try RawSocket(address)
        socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
        let answer = try await socket.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer.prefix(200))")
        #expect(answer.contains("application/problem+json") && answer.contains(#""status":431"#))
        #expect(answer.lowercased().contains("connection: close"))
      }
    }
  }

  @Test("STO-5: a large head behind another request does not take its answer's place")
  func largeHeadBehind() async throws {
    let slow = SlowRoute()
    try await TestStore().live([slow]) { address in
      let socket = try RawSocket(address)
      socket.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in slow.entered.stream { break }
      socket.send("GET /healthz HTTP/1.1\r\nX: \(String(repeating: "y", count: 40_000))\r\n\r\n")
      slow.mayGo.continuation.yield()
      let answer = try await socket.receiveAll()
      let statuses = answer.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
      #expect(statuses == ["200", "431"])
    }
  }

  @Test("A client that waits for leave to send its body gets it, and none when the body would be refused")
  func expectContinue() async throws {
    try await TestStore().live([BodyRoutes()]) { address in
      let socket = try RawSocket(address)
      socket.send(Self.post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      let reply = try await socket.receive()
      #expect(reply?.hasPrefix("HTTP/1.1 100 Continue\r\n") == true)
      socket.send("abc")
      let secondReply = try await socket.receive()
      #expect(secondReply?.hasPrefix("HTTP/1.1 200") == true)
      let refused = try RawSocket(address)
      refused.send(Self.post + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
      let thirdReply = try await refused.receive()
      #expect(thirdReply?.hasPrefix("HTTP/1.1 413") == true)
      let stranger = try RawSocket(address)
      stranger.send(
        "POST /attribution-api/v1/events HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      // Whether the body still comes cannot be told: the connection ends.
      let answer = try await stranger.receiveAll()
      #expect(answer.hasPrefix("HTTP/1.1 401") && answer.lowercased().contains("connection: close"), "\(answer)")
    }
  }

  @Test(
    "STO-5: a body over the limit ends the connection",
    arguments: ["Content-Length: 100000000000", "Transfer-Encoding: chunked"])
  func endlessBody(framing: String) async throws {
    try await TestStore().live([BodyRoutes()]) { address in
      let socket = try RawSocket(address)
      socket.send(Self.post + framing + "\r\n\r\n")
      let chunk = String(repeating: "x", count: 0x1000)
      let text = framing.hasPrefix("Content") ? chunk : "1000\r\n\(chunk)\r\n"
      // 64 MiB at most: without an end they would all be read.
      var sent = 0
      while sent < 16384, socket.send(text) { sent += 1 }
      #expect(sent < 16384)
    }
  }

  @Test("STO-5: a client that goes on with the body of a refused request is cut off")
  func refusedBody() async throws {
    try await TestStore().live([BodyRoutes()]) { address in
      let socket = try RawSocket(address)
      socket.send("POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      let reply = try await socket.receive()
      #expect(reply?.hasPrefix("HTTP/1.1 401") == true)
      var sent = 0
      while sent < 16384, socket.send("1000\r\n\(String(repeating: "x", count: 0x1000))\r\n") { sent += 1 }
      #expect(sent < 16384)
    }
  }

  @Test("STO-5: a body that does not come in time is the client's fault, and no warning")
  func slowBody() async throws {
    let log = LogRecorder()
    let store = try await TestStore(logger: log.logger)
    try await store.live([BodyRoutes()]) { address in
      let socket = try RawSocket(address)
      socket.send(Self.post + "Content-Length: 3\r\n\r\na")
      try await store.deadlines(1)
      store.advance(by: .seconds(11))
      let answer = try await socket.receiveAll()
      #expect(answer.hasPrefix("HTTP/1.1 408") && answer.contains(#""code":"timed_out""#), "\(answer.prefix(300))")
    }
    #expect(!log.text.contains("warning request"))
  }

  @Test("QUE-12: a finish while the payment is being settled waits for it, and is refused when it takes long")
  func finishWaits() async throws {
    try await TestStore().shop { shopper in
      let order = try await shopper.order("coins")
      _ = try await shopper.pay(order, with: .neverSettles)
      async let early = shopper.post("/v1/orders/\(order.id)/finish")
      try await shopper.store.untilWaiting(1)
      let payment = try #require(try await shopper.store.payments(of: order.id).first)
      let event = try await shopper.store.event("succeeded", payment: payment, order: order.id, with: shopper.client)
      #expect(event == .noContent)
      let status = try await early.status
      #expect(status == .noContent)
      #expect(try await shopper.order(order.id).finished)
      let other = try await shopper.order("coins")
      _ = try await shopper.pay(other, with: .neverSettles)
      async let late = shopper.post("/v1/orders/\(other.id)/finish")
      try await shopper.store.untilWaiting(1)
      // One finish of an account waits; a second one is told at once.
      let second = try await shopper.post("/v1/orders/\(other.id)/finish")
      let code = try second.problem().code
      #expect(code == .orderNotFinal)
      shopper.store.advance(by: OrderService.settlementWait + .seconds(1))
      let secondCode = try await late.problem().code
      #expect(secondCode == .orderNotFinal)
    }
  }
}
