import HTTPTypes
import Hummingbird
import Logging
import OnsideAPI
import Synchronization

/// What happens to every request, whatever its route: admission, caller, rate, body and time limits, problems,
/// headers, and one line in the log and the metrics.
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

  /// A handler with everything around it.
  func endpoint(_ route: Route, _ limits: RouteLimits, _ handler: @escaping StoreRoutes.Handler) -> StoreRoutes.Handler
  {
    let recorder = metrics.recorder(for: route)
    return { [self] request, context in
      let start = dependencies.clock.uptime()
      var response: Response
      do {
        response = try await admit(limits) { try await self.answer(route, limits, request, context, handler) }
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

  /// What went well is worth a line only to who looks for it: the metrics count it.
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
    // A provider is known by its signature, not by its address, and must never be turned away.
    if route.caller != .provider { try take(from: clients, client(request, context), now) }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.body {
      throw Problem(.contentTooLarge, .bodyTooLarge)
    }
    var identified = context
    identified.maxUploadSize = limits.body
    try callers.identify(route.caller, request, &identified)
    if let claims = identified.claims {
      try take(from: accounts, claims.accountID, now)
      await callers.sessions.note(claims)
    }
    let known = identified
    return try await withTimeLimit(limits.time) { try await handler(request, known) }
  }

  private func take(from limiter: RateLimiter, _ key: String, _ now: Duration) throws(Problem) {
    guard let seconds = limiter.take(key, uptime: now) else { return }
    throw Problem(.tooManyRequests, .rateLimited, retryAfter: seconds)
  }

  private func client(_ request: Request, _ context: StoreRequestContext) -> String {
    request.clientAddress(context, isBehindProxy: dependencies.configuration.isBehindProxy)
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
  private func withTimeLimit(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Response
  ) async throws -> Response {
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
      throw Problem(.serviceUnavailable, .timedOut, retryAfter: 1)
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
    if route.caller == .browser, let problemPage { return problemPage(problem, request) }
    return problem.response()
  }
}

/// A mark that is set once.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}

extension HTTPFields {
  /// Headers that every answer has unless the route chose its own.
  fileprivate mutating func addDefaults(for caller: Route.Caller) {
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
  static let referrerPolicy = Self("Referrer-Policy")!
  static let onsideApp = Self(WireHeader.app)!
  static let onsideDevice = Self(WireHeader.device)!
  static let onsideStore = Self(WireHeader.store)!
  static let idempotencyKey = Self(WireHeader.idempotencyKey)!
  static let sandboxSignature = Self(WireHeader.sandboxSignature)!
  static let vaultSignature = Self(WireHeader.vaultSignature)!
}
