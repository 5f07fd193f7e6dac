import Foundation
import Hummingbird
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreWeb

/// A socket of a test, blocking, with a time limit on each read.
final class RawSocket: Sendable {
  private let descriptor: Int32

  /// - Parameter source: the client's own address, of the loopback network.
  init(_ address: URL, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = in_port_t(address.port ?? 0).bigEndian
    target.sin_addr.s_addr = inet_addr("127.0.0.1")
    var own = target
    own.sin_port = 0
    own.sin_addr.s_addr = inet_addr(source)
    let bound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  /// True if bytes, or the end of the connection, can be received.
  var hasInput: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// All bytes until the other side closes.
  func receiveAll() async throws -> String {
    var all = ""
    while let text = try await receive() { all += text }
    return all
  }

  /// The next bytes; nil when the other side has closed. Blocks a thread of Dispatch, because the server runs on the
  /// threads of tasks.
  func receive() async throws -> String? {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        switch count {
        case 1...: continuation.resume(returning: String(decoding: buffer.prefix(count), as: UTF8.self))
        case 0: continuation.resume(returning: nil)
        default:
          if errno == ECONNRESET { return continuation.resume(returning: nil) }
          continuation.resume(throwing: POSIXError(.ETIMEDOUT))
        }
      }
    }
  }
}

/// A route whose answer waits until the test releases it.
struct SlowRoute: RouteGroup {
  let entered = AsyncStream.makeStream(of: Void.self)
  let mayGo = AsyncStream.makeStream(of: Void.self)

  func addRoutes(to routes: StoreRoutes) {
    routes.on(Route(.get, "/slow", by: .anyone)) { _, _ in
      entered.continuation.yield()
      for await _ in mayGo.stream { break }
      try Task.checkCancellation()
      return .bytes([], contentType: "text/plain")
    }
  }
}

@Suite("A running store", .timeLimit(.minutes(5)))
struct LiveServerTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("STO-4: a connection of HTTP/1.0 is closed after its answer, unless the client asks to keep it")
  func oldVersion() async throws {
    let store = try await TestStore()
    try await store.live { address in
      let closing = try RawSocket(address)
      closing.send("GET /health/live HTTP/1.0\r\n\r\n")
      let all = try await closing.receiveAll()
      #expect(all.hasPrefix("HTTP/1.1 200 OK"))
      let kept = try RawSocket(address)
      for _ in 1...2 {
        kept.send("GET /health/live HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        let answer = try await kept.receive()
        #expect(answer?.hasPrefix("HTTP/1.1 200 OK") == true)
      }
    }
  }

  @Test("STO-4: an unknown method gets 405, on each path", arguments: ["PROPFIND", "MKCOL", "CONNECT"])
  func unknownMethod(method: String) async throws {
    let store = try await TestStore()
    try await store.live { address in
      for path in ["/v1/orders", "/nowhere"] {
        let socket = try RawSocket(address)
        socket.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let all = try await socket.receiveAll()
        #expect(all.hasPrefix("HTTP/1.1 405 Method Not Allowed"), "\(path): \(all.prefix(40))")
        #expect(all.lowercased().contains("\r\nallow: "))
      }
    }
  }

  @Test("STO-5: a head that drips, a body that drips and an idle connection are closed; a quick one is answered")
  func slowClients() async throws {
    let store = try await TestStore {
      $0.limits.headTimeout = .seconds(2)
      $0.limits.bodyTimeout = .seconds(2)
      $0.limits.idleTimeout = .seconds(2)
    }
    try await store.live { address in
      let idle = try RawSocket(address)
      idle.send(Self.get)
      let reply = try await idle.receive()
      #expect(reply?.hasPrefix("HTTP/1.1 200") == true)
      let (silent, head, body) = (try RawSocket(address), try RawSocket(address), try RawSocket(address))
      body.send("POST /providers/sandbox/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
      head.send("GET /healthz HTTP/1.1\r\n")
      // A byte from time to time does not extend the timeout, which is for the whole head or body.
      for socket in [head, body] {
        var sent = 0
        while socket.send("x"), sent < 5000 {
          sent += 1
          try await Task.sleep(for: .milliseconds(20))
        }
        #expect(sent < 5000)
      }
      let secondReply = try await silent.receive()
      #expect(secondReply == nil)
      let thirdReply = try await idle.receive()
      #expect(thirdReply == nil)
    }
  }

  @Test("A client that goes away in the middle of its request is not the store's failure", arguments: ["", "{"])
  func leaves(body: String) async throws {
    let log = LogRecorder()
    let store = try await TestStore(logger: log.logger)
    try await store.openShop()
    let token = store.core.accessToken.issue(
      accountID: try await store.account(), appID: TestShop.app.id, sessionID: "s", now: store.clock.now())
    let id = store.freshID()
    try await store.live { address in
      try RawSocket(address).send(
        "POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nIdempotency-Key: \(id)\r\n"
          + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n\(body)")
      func isCounted(_ status: String) -> Bool {
        let line = #"onside_http_requests_total{route="POST /v1/orders",status="\#(status)"} 1"#
        return store.core.dependencies.metrics.text().contains(line)
      }
      try await until("the request to be counted") { isCounted("4xx") || isCounted("5xx") }
      #expect(isCounted("4xx"))
      #expect(!log.text.contains("error failed"))
    }
  }

  @Test(
    "STO-10: a stop answers a poll that waits, and closes its connection",
    .onSQLite("on PostgreSQL the poll may end before: when a store begins to listen for wakes, it wakes all"))
  func stop() async throws {
    let store = try await TestStore()
    try await store.openShop()
    let account = try await store.account()
    let token = store.core.accessToken.issue(
      accountID: account, appID: TestShop.app.id, sessionID: "s", now: store.clock.now())
    let head = "Host: x\r\nAuthorization: Bearer \(token)\r\n"
    let cursor = "0-NL-\(try await store.epoch())"
    let poll = try await store.liveUntilStopped { address in
      let socket = try RawSocket(address)
      socket.send("GET /v1/sync?cursor=\(cursor)&wait=30 HTTP/1.1\r\n\(head)\r\n")
      try await store.untilWaiting(1)
      return socket
    }
    let reply = try await poll.receive()
    #expect(reply?.hasPrefix("HTTP/1.1 200") == true)
    let secondReply = try await poll.receive()
    #expect(secondReply == nil)
  }

  @Test("STO-10: a stop accepts nothing more, and answers what it had accepted")
  func stopInFlight() async throws {
    let store = try await TestStore()
    let slow = SlowRoute()
    let client = try await store.liveUntilStopped([slow]) { address in
      let socket = try RawSocket(address)
      socket.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in slow.entered.stream { break }
      // The route answers only after the server has closed its listening socket.
      Task {
        while (try? RawSocket(address)) != nil { try await Task.sleep(for: .milliseconds(10)) }
        slow.mayGo.continuation.yield()
      }
      return socket
    }
    let reply = try await client.receive()
    #expect(reply?.hasPrefix("HTTP/1.1 200") == true)
  }

  @Test("STO-10: a stop takes no longer than its limit, with requests still in flight")
  func stopLimit() async throws {
    let store = try await TestStore { $0.limits.stopTimeout = .milliseconds(300) }
    let slow = SlowRoute()
    let client = try await store.liveUntilStopped([slow]) { address in
      let socket = try RawSocket(address)
      socket.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in slow.entered.stream { break }
      return socket
    }
    let reply = try await client.receive()
    #expect(reply?.hasPrefix("HTTP/1.1 200") != true)
    #expect(StoreLimits().stopTimeout <= .seconds(10))
  }

  /// The server's last tasks end shortly after it: they hold the store until then.
  @Test("A store is released after its server has stopped", .timeLimit(.minutes(1)))
  func released() async throws {
    weak var core: StoreCore?
    do {
      let store = try await TestStore()
      core = store.core
      try await store.live { _ in }
    }
    while core != nil { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("The store knows its own address when it listens on a free port")
  func address() async throws {
    let store = try await TestStore()
    try await store.live { address in
      #expect(address == store.core.address.url)
      #expect(address.port != 0)
      #expect(store.core.address.url(path: "/pay/x").absoluteString == "\(address)/pay/x")
    }
  }
}

extension TestStore {
  /// Runs the service, calls `body`, stops it gracefully, and returns the result of `body` after the stop.
  fileprivate func liveUntilStopped<T: Sendable>(
    _ groups: [any RouteGroup] = [], _ body: @escaping @Sendable (URL) async throws -> T
  ) async throws -> T {
    let (results, done) = AsyncStream.makeStream(of: T.self)
    try await live(groups) { address in
      done.yield(try await body(address))
      done.finish()
    }
    for await result in results { return result }
    throw CancellationError()
  }
}
