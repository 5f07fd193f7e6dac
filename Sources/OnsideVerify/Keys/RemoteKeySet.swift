public import Foundation

/// The keys of a store that are fetched when they are needed, and kept in memory.
///
/// A document with an unknown `kid` makes it fetch the keys anew, so that a server need not be restarted when the store
/// rotates its keys. Anyone can send a document with a `kid` that he made up: the keys are therefore fetched at most
/// once in ``minimumInterval``, and callers that wait at the same time share one fetch. Share one key set between all
/// verifiers of a store.
///
/// ```swift
/// let keys = RemoteKeySet { try await download("https://store.example/.well-known/jwks.json") }
/// let verifier = OnsideVerifier(bundleID: "io.example.lumen", keys: keys)
/// ```
public actor RemoteKeySet {
  /// Fetches the store's JWKS document. It ends by itself: give the request a time limit.
  public typealias Fetch = @Sendable () async throws -> Data

  /// How many seconds pass between two fetches at least. A store publishes a key for ten minutes before it signs.
  public nonisolated let minimumInterval: TimeInterval
  /// How many seconds pass at least before a fetch that failed is tried again.
  public nonisolated let retryInterval: TimeInterval

  private let fetch: Fetch
  private let now: @Sendable () -> Date
  private var keys: JSONWebKeySet?
  private var running: Task<Outcome, Never>?
  private var last: (outcome: Outcome, date: Date)?

  private typealias Outcome = Result<JSONWebKeySet, VerificationError>

  /// Keys that `fetch` gets.
  ///
  /// - Parameters:
  ///   - initial: keys to begin with, for example from the last run of the server; nil for none.
  ///   - minimumInterval: seconds between two fetches.
  ///   - retryInterval: seconds after a fetch that failed.
  ///   - now: the time, for tests.
  ///   - fetch: returns the JWKS document, or throws.
  public init(
    initial: JSONWebKeySet? = nil, minimumInterval: TimeInterval = 30, retryInterval: TimeInterval = 5,
    now: @escaping @Sendable () -> Date = { Date() }, fetch: @escaping Fetch
  ) {
    keys = initial
    self.minimumInterval = minimumInterval
    self.retryInterval = retryInterval
    self.now = now
    self.fetch = fetch
  }

  /// The keys to verify a document with. They have its `kid`, unless the store does not have it either.
  ///
  /// Throws when the keys are unknown because the last fetch failed: then the document may be right.
  func keys(for kid: String) async throws(VerificationError) -> JSONWebKeySet {
    if let keys, keys.contains(kid) { return keys }
    return try await fetched().get()
  }

  /// What a fetch brings; the outcome of the last one while it is too early for the next.
  private func fetched() async -> Outcome {
    if let running { return await running.value }
    if let last, isRecent(last.outcome, at: last.date) { return last.outcome }
    let task = Task { [fetch] in await Self.read(fetch) }
    running = task
    let outcome = await task.value
    running = nil
    last = (outcome, now())
    if case .success(let fetched) = outcome { keys = fetched }
    return outcome
  }

  private func isRecent(_ outcome: Outcome, at date: Date) -> Bool {
    let interval = if case .success = outcome { minimumInterval } else { retryInterval }
    // A clock that was set back must not forbid fetches for as long.
    return abs(now().timeIntervalSince(date)) < interval
  }

  private static func read(_ fetch: Fetch) async -> Outcome {
    do {
      return .success(try JSONWebKeySet(jwks: try await fetch()))
    } catch {
      // Also a page of a proxy in place of the keys: the document that is to be verified may be right.
      let reason = String(describing: error).printable(200)
      return .failure(
        VerificationError(.keysUnavailable, "Expected the store's keys, got an error: \(reason). Try again later."))
    }
  }
}
