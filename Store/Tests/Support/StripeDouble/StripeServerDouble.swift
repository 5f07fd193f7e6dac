import AsyncHTTPClient
public import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// A Stripe of the tests' own, an HTTP server on a free port of 127.0.0.1. It keeps idempotency keys, knows the test
/// cards, moves money between books of its own, sends signed webhook calls and repeats them, and fails as it is told.
///
/// Time and randomness are passed in. Nothing happens by itself: tests let webhook calls go out, payments settle, banks
/// object.
///
/// ```swift
/// try await StripeServerDouble.run(now: { clock.now() }) { stripe in
///   stripe.next(.answerLost, on: "POST payment_intents")
///   // ... the store charges, and repeats the charge
///   #expect(stripe.payments.count == 1)
/// }
/// ```
public final class StripeServerDouble: Sendable {
  private struct PlannedFault: Sendable {
    let call: String?
    let fault: StripeFault
    var times: Int
  }

  let state: Mutex<StripeState>
  let now: @Sendable () -> Date
  private let port = Mutex(0)
  private let faults = Mutex<[PlannedFault]>([])
  private let exchanges = Mutex<[StripeExchange]>([])
  /// Makes the calls that go out before an answer.
  let sender = Mutex<@Sendable (WebhookCall) async -> Int?>(StripeServerDouble.send)

  // It lives as long as the process, as `HTTPClient.shared` does, which follows redirects.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// - Parameters:
  ///   - seed: of its ids and of the order of shuffled calls.
  ///   - isLive: whether its keys are of the live mode.
  public init(seed: UInt64 = 1, isLive: Bool = false, now: @escaping @Sendable () -> Date) {
    self.now = now
    state = Mutex(StripeState(now: now(), seed: seed, isLive: isLive))
  }

  /// Runs a double while `body` does.
  public static func run(
    seed: UInt64 = 1, isLive: Bool = false, now: @escaping @Sendable () -> Date,
    _ body: @escaping @Sendable (StripeServerDouble) async throws -> Void
  ) async throws {
    let double = StripeServerDouble(seed: seed, isLive: isLive, now: now)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        try await double.serve { listening.yield($0) }
        listening.finish()
      }
      for await _ in ports {
        try await body(double)
        break
      }
      tasks.cancelAll()
      try? await tasks.waitForAll()
    }
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter port: 0 for one that is free.
  public func serve(port: Int = 0, whenReady: @escaping @Sendable (Int) -> Void) async throws {
    let application = Application(
      responder: CallbackResponder<DoubleContext> { try await self.respond(to: $0, context: $1) },
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        self.port.withLock { $0 = port }
        whenReady(port)
      }, logger: Logger(label: "stripe", factory: { _ in SwiftLogNoOpLogHandler() }))
    try await application.run()
  }

  /// Its address, without a path.
  public var address: String { "http://127.0.0.1:\(port.withLock { $0 })" }
  /// The key of servers.
  public var secretKey: String { state.withLock { $0.secretKey } }
  /// The key of pages.
  public var publishableKey: String { state.withLock { $0.publishableKey } }

  /// Makes a restricted key, which may not touch some collections, such as `payouts`.
  public func makeRestrictedKey(without collections: Set<String>) -> String {
    state.withLock { state in
      let key = state.id(state.isLive ? "rk_live" : "rk_test")
      state.restrictedKeys[key] = collections
      return key
    }
  }

  /// What it was asked so far.
  public var requests: [StripeExchange] { exchanges.withLock { $0 } }

  /// Plans a fault for the next requests of a kind.
  ///
  /// - Parameter call: such as `POST payment_intents` or `POST payment_intents/*/confirm`; nil for any.
  public func next(_ fault: StripeFault, on call: String? = nil, times: Int = 1) {
    faults.withLock { $0.append(PlannedFault(call: call, fault: fault, times: times)) }
  }

  /// Takes back the faults that are planned.
  public func forgetFaults() { faults.withLock { $0 = [] } }

  /// Answers 429 to what is more in a second of its clock.
  public func limit(to requestsPerSecond: Int, retryAfter: Int = 1) {
    state.withLock { $0.rate = RateLimit(perSecond: requestsPerSecond, retryAfter: retryAfter) }
  }

  /// Ends the limit.
  public func unlimit() { state.withLock { $0.rate = nil } }

  private func takeFault(_ call: String) -> StripeFault? {
    faults.withLock { faults in
      guard let index = faults.firstIndex(where: { $0.call == nil || $0.call == call }) else { return nil }
      faults[index].times -= 1
      return faults[index].times > 0 ? faults[index].fault : faults.remove(at: index).fault
    }
  }

  private func respond(to request: Request, context: DoubleContext) async throws -> Response {
    let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
    guard let read = StripeRequest(request, body: text) else {
      return Response(StripeAnswer(.invalid("Expected a path below /v1/ and a form.")))
    }
    let answer = await answer(read)
    exchanges.withLock { $0.append(StripeExchange(read, status: answer?.status ?? 0)) }
    guard let answer else {
      try await context.channel.close().get()
      throw CancellationError()
    }
    return Response(answer)
  }

  /// The answer; nil when the connection is cut.
  private func answer(_ request: StripeRequest) async -> StripeAnswer? {
    let fault = takeFault(request.call)
    if case .cutBefore = fault { return nil }
    if case .unauthorized = fault { return StripeAnswer(Refusal.unauthorized("Expired API Key provided.")) }
    if case .rateLimited(let seconds) = fault {
      var answer = StripeAnswer(Refusal(status: 429, code: "rate_limit", message: "Request rate limit exceeded."))
      answer.headers["Retry-After"] = String(seconds)
      return answer
    }
    let id: String
    switch state.withLock({ $0.begin(request, at: now()) }) {
    case .answered(let answer): return answer
    case .execute(let requestID): id = requestID
    }
    if case .held(let gate) = fault { await gate.pass() }
    let answer = state.withLock { state in
      guard case .serverError(let afterEffect) = fault else {
        return state.execute(request, requestID: id, at: now())
      }
      return state.fail(request, requestID: id, at: now(), afterEffect: afterEffect)
    }
    if case .webhooksFirst = fault { await deliver(by: sender.withLock { $0 }) }
    if case .answerLost = fault { return nil }
    return answer
  }

  /// Makes one webhook call over HTTP; the status of its answer, nil without one.
  @Sendable public static func send(_ call: WebhookCall) async -> Int? {
    var request = HTTPClientRequest(url: call.url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
    request.headers.add(name: "Stripe-Signature", value: call.signature)
    request.headers.add(name: "User-Agent", value: "Stripe/1.0")
    request.body = .bytes(ByteBuffer(bytes: call.body))
    guard let response = try? await client.execute(request, timeout: .seconds(60)) else { return nil }
    _ = try? await response.body.collect(upTo: 1 << 20)
    return Int(response.status.code)
  }
}

/// A request's context, with its connection.
private struct DoubleContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

extension StripeState {
  /// Fails with a request, with or without what it asked. The failure is kept under the idempotency key.
  fileprivate mutating func fail(
    _ request: StripeRequest, requestID: String, at now: Date, afterEffect: Bool
  ) -> StripeAnswer {
    if afterEffect { _ = execute(request, requestID: requestID, at: now) }
    let refusal = Refusal(status: 500, type: "api_error", message: "An unknown error occurred.")
    let answer = labelled(StripeAnswer(refusal), requestID: requestID, of: request)
    if let key = request.idempotencyKey, keptAnswers[key] == nil {
      keptAnswers[key] = KeptAnswer(fingerprint: request.fingerprint, requestID: requestID, since: now)
    }
    return finish(answer, of: request, isKept: true)
  }
}

extension StripeRequest {
  fileprivate init?(_ request: Request, body: String) {
    let prefix = "/v1/"
    guard request.uri.path.hasPrefix(prefix) else { return nil }
    let query = request.uri.query ?? ""
    let text = request.method == .get || request.method == .delete ? query : body
    guard let form = try? Form(text) else { return nil }
    method = request.method.rawValue
    path = request.uri.path.dropFirst(prefix.count).split(separator: "/").map { $0.removingPercentEncoding ?? "" }
    self.form = form
    self.text = text
    authorization = request.headers[.authorization]
    idempotencyKey = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
    version = HTTPField.Name("Stripe-Version").flatMap { request.headers[$0] }
  }

  /// The path with `*` for each id.
  fileprivate var pattern: String {
    var parts = path
    let place = parts.first == "radar" ? 2 : 1
    if parts.count > place { parts[place] = "*" }
    return parts.joined(separator: "/")
  }

  fileprivate var call: String { "\(method) \(pattern)" }
}

extension StripeExchange {
  fileprivate init(_ request: StripeRequest, status: Int) {
    method = request.method
    path = request.pattern
    parameters = request.form.names
    idempotencyKey = request.idempotencyKey
    version = request.version
    self.status = status
  }
}

extension Response {
  fileprivate init(_ answer: StripeAnswer) {
    var headers: HTTPFields = [.contentType: "application/json"]
    for (name, value) in answer.headers {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    self.init(
      status: HTTPResponse.Status(code: answer.status), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body.bytes)))
  }
}
