import HTTPTypes
import Hummingbird
import Logging
import OnsideAPI
import Synchronization

/// The middleware of all routes: admission, authentication of the caller, rate, body and time limits, problem
/// responses, headers, and one line in the log and the metrics.
final class RequestPipeline: Sendable {
  /// Turns a problem on a browser's route into a page.
  typealias ProblemPage = @Sendable (Problem, Request) -> Response

  private let dependencies: StoreDependencies
  private let callers: CallerCheck
  private let deadlines: DeadlineTimer
  private let metrics: RequestMetrics
  private let problemPage: ProblemPage?
  private let clients: RateLimiter
  private let accounts: RateLimiter
  private let inFlight = Atomic<Int>(0)
  private let waiting = Atomic<Int>(0)

  init(
    dependencies: StoreDependencies, callers: CallerCheck, deadlines: DeadlineTimer, problemPage: ProblemPage?
  ) {
    self.dependencies = dependencies
    self.callers = callers
    self.deadlines = deadlines
    self.problemPage = problemPage
    metrics = RequestMetrics(dependencies.metrics)
    clients = RateLimiter(dependencies.configuration.limits.perClient)
    accounts = RateLimiter(dependencies.configuration.limits.perAccount)
  }

  /// Wraps a route's handler in the middleware.
  func endpoint(_ route: Route, _ limits: RouteLimits, _ handler: @escaping StoreRoutes.Handler) -> StoreRoutes.Handler
  {
    let recorder = metrics.recorder(for: route)
    let own = limits.perClient.map { RateLimiter($0) }
    return { [self] request, context in
      let start = dependencies.clock.uptime()
      var response: Response
      do {
        response = try await admit(limits) {
          try self.requireHost(request, on: route)
          try self.count(request, on: route, own, context)
          return try await self.answer(route, limits, request, context, handler)
        }
      } catch {
        response = refusal(of: request, on: route, error, context)
      }
      response.headers.addDefaults(for: route.caller)
      let elapsed = dependencies.clock.uptime() - start
      recorder.record(response.status, elapsed)
      context.logger.log(
        level: Self.level(of: response.status), "request",
        metadata: [
          "method": "\(request.method.rawValue)", "route": "\(route.path)", "status": "\(response.status.code)",
          "ms": "\(Int(elapsed.seconds * 1000))",
        ])
      return response
    }
  }

  /// The log level of a response. Successes are logged at `debug` only, since the metrics count them.
  private static func level(of status: HTTPResponse.Status) -> Logger.Level {
    switch status.code {
    case 500...: .warning
    case 400...: .info
    default: .debug
    }
  }

  private func answer(
    _ route: Route, _ limits: RouteLimits, _ request: Request, _ context: StoreRequestContext,
    _ handler: @escaping StoreRoutes.Handler
  ) async throws -> Response {
    let now = dependencies.clock.uptime()
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.body {
      throw Problem(.contentTooLarge, .bodyTooLarge)
    }
    var identified = context
    identified.maxUploadSize = limits.body
    try await callers.identify(route.caller, request, &identified)
    if let claims = identified.claims {
      try take(from: accounts, claims.accountID, now)
      await callers.sessions.note(claims)
    }
    let known = identified
    // A GET request has no body to wait for.
    let whole = route.method == .get ? request : try await received(request, limits, known)
    return try await withTimeLimit(limits.time, late: .tookTooLong) { try await handler(whole, known) }
  }

  /// Refuses a request without exactly one `Host` (RFC 9112, section 3.2).
  private func requireHost(_ request: Request, on route: Route) throws(Problem) {
    // Health checks of balancers often speak HTTP/1.0, which has none.
    if route == .health { return }
    // The first `Host` is the request's authority; one in the fields is a second one.
    guard request.head.authority != nil, request.headers[.secondHost] == nil else {
      throw .invalidRequest("Expected the header Host once.")
    }
  }

  /// Applies the rate limits of a client's network: the one of all routes, and the route's own.
  private func count(
    _ request: Request, on route: Route, _ own: RateLimiter?, _ context: StoreRequestContext
  ) throws(Problem) {
    // A provider is known by its signature, not by its address, and must never be turned away.
    guard route.caller != .provider else { return }
    let address = request.clientAddress(context, isBehindProxy: dependencies.configuration.isBehindProxy)
    let (client, now) = (NetworkPrefix.ofCaller(address), dependencies.clock.uptime())
    try take(from: clients, client, now)
    if let own { try take(from: own, client, now) }
  }

  /// The request with its whole body. The client has the route's time limit to send it: a slow client gets an error of
  /// its own, which does not count as a failure of the store.
  private func received(
    _ request: Request, _ limits: RouteLimits, _ context: StoreRequestContext
  ) async throws -> Request {
    guard request.headers[.contentLength] != nil || request.headers[.transferEncoding] != nil else { return request }
    // Only now: a client that waits for leave is spared a body that would be refused (RFC 9110, section 10.1.1).
    if request.headers[.expect]?.lowercased() == "100-continue" { try await context.sendContinue() }
    return try await withTimeLimit(limits.time, late: .slowBody) {
      var whole = request
      _ = try await whole.collectBody(upTo: limits.body)
      // A body that is cancelled ends early, without an error.
      try Task.checkCancellation()
      return whole
    }
  }

  private func take(from limiter: RateLimiter, _ key: String, _ now: Duration) throws(Problem) {
    guard let seconds = limiter.take(key, uptime: now) else { return }
    throw Problem(.tooManyRequests, .rateLimited, retryAfter: seconds)
  }

  /// Turns work away while there is more than the process takes on, before it would time out.
  private func admit(_ limits: RouteLimits, _ body: () async throws -> Response) async throws -> Response {
    limits.isLongPoll
      ? try await counted(by: waiting, atMost: dependencies.configuration.limits.waitingPolls, body)
      : try await counted(by: inFlight, atMost: dependencies.configuration.limits.requestsInFlight, body)
  }

  private func counted(
    by counter: borrowing Atomic<Int>, atMost limit: Int, _ body: () async throws -> Response
  ) async throws -> Response {
    let count = counter.add(1, ordering: .relaxed).newValue
    defer { counter.subtract(1, ordering: .relaxed) }
    guard count <= limit else { throw Problem(.serviceUnavailable, .overloaded, retryAfter: 1) }
    return try await body()
  }

  /// Cancels the work when its time is up. A write that was accepted is still waited for: its answer is then known.
  private func withTimeLimit<Result: Sendable>(
    _ limit: Duration, late: Problem, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task.immediate { try await body() }
    let isExpired = Flag()
    let ticket = deadlines.schedule(after: limit) {
      isExpired.raise()
      task.cancel()
    }
    defer { deadlines.cancel(ticket) }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      guard isExpired.isRaised else { throw error }
      throw late
    }
  }

  private func refusal(
    of request: Request, on route: Route, _ error: any Error, _ context: StoreRequestContext
  ) -> Response {
    let problem = Problem(describing: error)
    if problem.status == .internalServerError || problem.code == .storageUnavailable {
      // The type alone: an error's text may hold what the user sent.
      var metadata: Logger.Metadata = ["route": "\(route.path)", "error": "\(String(reflecting: type(of: error)))"]
      if case StorageError.unavailable(let code, _) = error { metadata["sqlite"] = "\(code)" }
      context.logger.error("failed", metadata: metadata)
    }
    var response = problem.response()
    if route.caller == .browser, let problemPage { response = problemPage(problem, request) }
    if route.caller == .merchant, problem.status == .unauthorized {
      response.headers[.wwwAuthenticate] = #"Basic realm="onside", charset="UTF-8""#
    }
    // A client that waits for leave may send its body or not: the next request could not be told from it.
    if problem.endsConnection || request.headers[.expect] != nil { response.headers[.connection] = "close" }
    return response
  }
}

/// A mark that is set once.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}

extension Problem {
  fileprivate static let tookTooLong = Problem(.serviceUnavailable, .timedOut, retryAfter: 1)
  fileprivate static let slowBody = Problem(
    .requestTimeout, .timedOut, "Expected the whole body in the time of the route. Send the request again.")

  /// True when the rest of the request is not read: it may be gigabytes, or never come.
  fileprivate var endsConnection: Bool { status == .contentTooLarge || status == .requestTimeout }
}

extension HTTPFields {
  /// Headers that every answer has unless the route chose its own.
  mutating func addDefaults(for caller: Route.Caller) {
    self[.onsideStore] = "1"
    self[.xContentTypeOptions] = "nosniff"
    if self[.cacheControl] == nil { self[.cacheControl] = "no-store" }
    guard caller == .browser else { return }
    if self[.referrerPolicy] == nil { self[.referrerPolicy] = "no-referrer" }
    if self[.contentSecurityPolicy] == nil {
      self[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    }
  }
}

extension HTTPField.Name {
  static let forwardedFor = Self("X-Forwarded-For")!
  static let secondHost = Self("Host")!
  static let referrerPolicy = Self("Referrer-Policy")!
  static let onsideApp = Self(WireHeader.app)!
  static let onsideDevice = Self(WireHeader.device)!
  static let onsideStore = Self(WireHeader.store)!
  static let idempotencyKey = Self(WireHeader.idempotencyKey)!
  static let sandboxSignature = Self(WireHeader.sandboxSignature)!
  static let vaultSignature = Self(WireHeader.vaultSignature)!
}
