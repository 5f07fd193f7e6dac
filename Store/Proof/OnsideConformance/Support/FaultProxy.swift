import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreTestSupport
import Synchronization

/// A loopback HTTP proxy between the devices and the store with fault injection: it forwards every request, and can
/// drop it, drop its answer, forward it twice, or delay it. Several stores get the requests by turns, each retry
/// another one. The proxy repeats a request that the store answers with 503 and `Retry-After`; cases about a busy store
/// use ``Fault/answer(_:_:retryAfter:)``.
///
/// It keeps no connection open, so that only the SDK retries a lost request, and not the HTTP client.
final class FaultProxy: Sendable {
  /// A request and what became of it.
  struct Exchange: Sendable {
    let request: Request
    /// The status that the device got; nil before the answer, or without one.
    var status: Int?
    /// The status of the store's answer, whether or not the answer arrived; nil before.
    var storeStatus: Int?
  }

  private struct Rule: Sendable {
    let traffic: Traffic
    let fault: Fault
    var times: Int
  }

  /// A request that is still on its way.
  private struct Late: Sendable {
    let request: Request
    let number: Int
    /// The number of requests that arrive before it.
    var others: Int
  }

  /// The stores that requests go to by turns; none while they are down.
  let stores = Mutex(Turns<URL>())
  /// All requests, oldest first.
  let exchanges = Observed<[Exchange]>([])
  /// The fault for a request without a rule.
  let faultInjection = Mutex<(@Sendable (Request) -> Fault?)?>(nil)
  private let rules = Mutex<[Rule]>([])
  private let late = Mutex<[Late]>([])
  private let listener: any Channel
  private let upstream: HTTPClient
  private let serving: Serving

  typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  init() async throws {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.connectionPool.retryConnectionEstablishment = false
    upstream = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    let serving = Serving()
    self.serving = serving
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
          serving.begin(try Connection(wrappingChannelSynchronously: channel))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    serving.serve.withLock { $0 = { [weak self] in await self?.serve($0) } }
  }

  /// The store's address as devices know it.
  var address: URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = listener.localAddress?.port
    guard let url = components.url else { preconditionFailure("the network does not listen") }
    return url
  }

  /// Adds a rule: the next `times` requests of a kind get a fault. The newest rule that matches a request is applied.
  func disturb(_ traffic: Traffic, with fault: Fault, times: Int = .max) {
    rules.withLock { $0.append(Rule(traffic: traffic, fault: fault, times: times)) }
  }

  /// Removes all rules.
  func heal() { rules.withLock { $0 = [] } }

  /// The number of requests of a kind so far.
  func count(_ traffic: Traffic) -> Int { exchanges.value.count { traffic.contains($0.request) } }

  /// The number of requests of a kind that the store has answered so far, whether or not the answers arrived.
  func answered(_ traffic: Traffic) -> Int {
    exchanges.value.count { traffic.contains($0.request) && $0.storeStatus != nil }
  }

  /// Waits until this number of requests of a kind were made.
  func until(_ traffic: Traffic, made count: Int = 1) async throws {
    try await exchanges.until { $0.count { traffic.contains($0.request) } >= count }
  }

  /// Waits until the store answered this number of requests of a kind, whether or not the answers arrived.
  func until(_ traffic: Traffic, answered count: Int) async throws {
    try await exchanges.until { $0.count { traffic.contains($0.request) && $0.storeStatus != nil } >= count }
  }

  func close() async {
    try? await listener.close()
    await serving.end()
    try? await upstream.shutdown()
  }

  // MARK: Forwarding

  private func serve(_ connection: Connection) async {
    try? await connection.executeThenClose { inbound, outbound in
      guard let request = try await Request(inbound) else { return }
      let number = exchanges.change { list in
        list.append(Exchange(request: request))
        return list.count - 1
      }
      let task = Task {
        let answer = try await self.answer(request, number: number)
        await self.deliverDue()
        return answer
      }
      connection.channel.closeFuture.whenComplete { _ in task.cancel() }
      let answer = try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
      guard let answer else { return }
      var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: answer.headers)
      head.headers.replaceOrAdd(name: "connection", value: "close")
      head.headers.remove(name: "transfer-encoding")
      head.headers.replaceOrAdd(name: "content-length", value: String(answer.body.readableBytes))
      try await outbound.write(.head(head))
      try await outbound.write(.body(.byteBuffer(answer.body)))
      try await outbound.write(.end(nil))
      exchanges.change { $0[number].status = answer.status }
    }
  }

  private func fault(for request: Request) -> Fault? {
    let fault: Fault? = rules.withLock { rules in
      guard let index = rules.lastIndex(where: { $0.times > 0 && $0.traffic.contains(request) }) else { return nil }
      rules[index].times -= 1
      return rules[index].fault
    }
    return fault ?? faultInjection.withLock { $0 }?(request)
  }

  /// Forwards all late requests now, oldest first.
  func deliverLate() async {
    let waiting = late.withLock { late in
      defer { late = [] }
      return late
    }
    for one in waiting { _ = try? await carry(one.request, number: one.number) }
  }

  /// Counts an arrived request, and forwards the late requests that waited for it.
  private func deliverDue() async {
    let due = late.withLock { late in
      for index in late.indices { late[index].others -= 1 }
      defer { late.removeAll { $0.others <= 0 } }
      return late.filter { $0.others <= 0 }
    }
    for one in due { _ = try? await carry(one.request, number: one.number) }
  }

  /// The answer that the device gets; nil for none.
  private func answer(_ request: Request, number: Int) async throws -> Answer? {
    switch fault(for: request) {
    case nil: return try await carry(request, number: number)
    case .refuse: return nil
    case .answer(let status, let body, let retryAfter):
      let headers: HTTPHeaders = retryAfter.map { ["Retry-After": "\($0)"] } ?? [:]
      return Answer(status: status, headers: headers, body: ByteBuffer(string: body))
    case .loseAnswer:
      _ = try await carry(request, number: number)
      return nil
    case .twice:
      _ = try await carry(request, number: number)
      return try await carry(request, number: number)
    case .twiceAnsweringFirst:
      let first = try await carry(request, number: number)
      _ = try await carry(request, number: number)
      return first
    case .late(let others):
      // One more: `deliverDue` after this request counts down, too.
      late.withLock { $0.append(Late(request: request, number: number, others: others + 1)) }
      return nil
    case .hold(let latch):
      try await latch.passed()
      return try await carry(request, number: number)
    case .holdAnswer(let latch):
      let answer = try await carry(request, number: number)
      try await latch.passed()
      return answer
    }
  }

  private func carry(_ request: Request, number: Int) async throws -> Answer? {
    let answer = try await repeatedWhileBusy("\(request.method) \(request.path)") {
      let answer = try await carryOnce(request)
      return StoreAnswer(answer, status: answer?.status ?? 0, retryAfter: answer?.headers.first(name: "Retry-After"))
    }
    if let answer { exchanges.change { $0[number].storeStatus = answer.status } }
    return answer
  }

  private func carryOnce(_ request: Request) async throws -> Answer? {
    guard let store = stores.withLock({ $0.next() }) else { return nil }
    var forward = HTTPClientRequest(url: store.absoluteString + request.uri)
    forward.method = request.method
    forward.headers = request.headers
    forward.headers.replaceOrAdd(name: "connection", value: "close")
    if request.method != .GET { forward.body = .bytes(request.body) }
    let response = try await upstream.execute(forward, timeout: .minutes(2))
    let body = try await response.body.collect(upTo: 16 * 1024 * 1024)
    return Answer(status: Int(response.status.code), headers: response.headers, body: body)
  }

  private struct Answer: Sendable {
    var status: Int
    var headers: HTTPHeaders = [:]
    var body: ByteBuffer
  }
}

/// The open connections, a task for each. Every accepted connection has to be served, if only to close it: NIO stops
/// the process when a `NIOAsyncChannel` is released unserved.
private final class Serving: Sendable {
  let serve = Mutex<(@Sendable (FaultProxy.Connection) async -> Void)?>(nil)
  private let tasks = Mutex<[Task<Void, Never>]>([])

  func begin(_ connection: FaultProxy.Connection) {
    tasks.withLock { tasks in
      tasks.append(
        Task {
          guard let serve = serve.withLock({ $0 }) else {
            return _ = try? await connection.executeThenClose { _, _ in }
          }
          await serve(connection)
        })
    }
  }

  func end() async {
    let open = tasks.withLock { $0 }
    for task in open { task.cancel() }
    for task in open { await task.value }
  }
}
