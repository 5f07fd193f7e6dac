import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Follows what the logged-in account may use: from the disk first, then from the store, and again when an order has
/// changed, when something ends or is renewed, and once a day.
///
/// Nothing is read and nobody is asked before an app wants to know.
@MainActor
final class EntitlementController {
  private let store: any Store
  private let account: AccountController
  private let dependencies: Dependencies
  private let file: EntitlementFile

  private var worker: Task<Void, Never>?
  private let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var isClosed = false
  private var isLoaded = false
  /// Whether the store has been asked for the account, with or without an answer.
  private var hasAsked = false
  private var needsRefresh = false
  private var failures = 0
  private var retryAt: Date?
  private var known: KnownEntitlements?
  private var proof: EntitlementProof?
  private var told: [OnsideEntitlement]?
  private var watchers: [Int: AsyncStream<[OnsideEntitlement]>.Continuation] = [:]
  private var lastWatcher = 0

  /// The longest time that the clock is not looked at, in seconds.
  private static let longestSleep: TimeInterval = 3600
  /// How often the latest moment of the clock is put on disk, in seconds.
  private static let noteDistance: TimeInterval = 600

  init(store: any Store, account: AccountController, file: EntitlementFile, dependencies: Dependencies) {
    self.store = store
    self.account = account
    self.file = file
    self.dependencies = dependencies
  }

  deinit {
    worker?.cancel()
    wish.finish()
    for watcher in watchers.values { watcher.finish() }
  }

  // MARK: The app

  /// What the account may use; waits for the disk and, when that has no list of the account, for the store's first
  /// answer or failure.
  func current() async -> [OnsideEntitlement] {
    start()
    if !isSettled { for await first in updates() { return first } }
    return snapshot()
  }

  /// What the account may use, now and after each change; a slow reader gets the latest.
  func updates() -> AsyncStream<[OnsideEntitlement]> {
    start()
    let (stream, watcher) = AsyncStream.makeStream(
      of: [OnsideEntitlement].self, bufferingPolicy: .bufferingNewest(1))
    guard !isClosed else {
      watcher.finish()
      return stream
    }
    lastWatcher += 1
    watchers[lastWatcher] = watcher
    watcher.onTermination = { [weak self, number = lastWatcher] _ in
      Task { @MainActor in self?.watchers[number] = nil }
    }
    if isSettled { watcher.yield(snapshot()) }
    return stream
  }

  // MARK: What happens

  /// The account has logged in or out.
  func accountChanged() {
    guard worker != nil, known?.account != account.signedIn?.accountID || known == nil else { return }
    (known, proof, hasAsked, failures, retryAt) = (nil, nil, false, 0, nil)
    if told?.isEmpty == false { tell([]) }
    wish.yield()
  }

  /// Orders have changed.
  func ordersChanged() {
    needsRefresh = true
    wish.yield()
  }

  func close() {
    isClosed = true
    worker?.cancel()
    for watcher in watchers.values { watcher.finish() }
    watchers = [:]
  }

  // MARK: Work

  private func start() {
    guard worker == nil, !isClosed else { return }
    worker = Task { [weak self, wishes] in
      await self?.load()
      while let pause = await self?.step(), !Task.isCancelled {
        guard let sleep = self?.dependencies.sleep else { return }
        _ = try? await withDeadline(pause, sleep: sleep) { for await _ in wishes { return } }
      }
    }
  }

  private func load() async {
    if let account = account.signedIn?.accountID {
      let read = await Task.detached { [file] in file.read(of: account) }.value
      if let read, self.account.signedIn?.accountID == account { (known, proof) = read }
    }
    isLoaded = true
  }

  /// Asks the store if need be, and tells what has changed. Returns for how long nothing else is to be done, in seconds.
  private func step() async -> TimeInterval? {
    if isClosed { return nil }
    let now = dependencies.now()
    if isRefreshDue(at: now) { await refresh() }
    if isClosed { return nil }
    await note()
    if isSettled { tell(snapshot()) }
    return pause(at: dependencies.now())
  }

  private func isRefreshDue(at now: Date) -> Bool {
    guard account.signedIn != nil else { return false }
    if let retryAt, !needsRefresh { return now >= retryAt }
    guard let known else { return true }
    return needsRefresh || known.isSetBack(at: now) || now >= known.refreshDue
  }

  private func refresh() async {
    guard let asked = account.signedIn?.accountID else { return }
    needsRefresh = false
    do {
      let answer = try await store.entitlements(of: asked, verifiedWith: proof?.keys)
      guard account.signedIn?.accountID == asked else { return }
      guard let newer = KnownEntitlements(answer.list, after: known, of: asked, receivedAt: dependencies.now())
      else { throw StoreError.connection }
      known = newer
      proof = answer.proof
      (failures, retryAt) = (0, nil)
      await keep()
    } catch {
      guard account.signedIn?.accountID == asked else { return }
      failed(error as? StoreError ?? .connection)
    }
    hasAsked = true
  }

  private func failed(_ error: StoreError) {
    if error == .notSignedIn { return account.sessionEnded() }
    failures += 1
    let jitter = dependencies.randomBytes(1).first ?? 0
    let pause =
      error.isRetryable ? BackOff.seconds(attempt: failures, pause: .long, jitter: jitter) : Self.longestSleep
    retryAt = dependencies.now() + pause
    if !error.isRetryable { dependencies.logger.error("The store has not told what the account may use: \(error)") }
  }

  /// Takes in what the clock shows, and puts it on disk from time to time: a clock that is set back later is noticed.
  private func note() async {
    let (now, before) = (dependencies.now(), known?.latest)
    guard let before, now >= before + Self.noteDistance else { return }
    known?.see(now)
    await keep()
  }

  /// Puts on disk what is known.
  private func keep() async {
    guard let known, let proof else { return }
    await Task.detached { [file] in file.write(known, proof: proof) }.value
  }

  private func pause(at now: Date) -> TimeInterval {
    var moments = [now + Self.longestSleep]
    if let known { moments += [known.nextEnd(after: now), retryAt ?? known.refreshDue].compactMap(\.self) }
    if known == nil, let retryAt { moments.append(retryAt) }
    return max(1, (moments.min() ?? now).timeIntervalSince(now))
  }

  // MARK: Telling

  private var isSettled: Bool { isLoaded && (account.signedIn == nil || known != nil || hasAsked) }

  private func snapshot() -> [OnsideEntitlement] {
    let now = dependencies.now()
    if known?.isSetBack(at: now) == false { known?.see(now) }
    return known?.entitlements(at: now) ?? []
  }

  private func tell(_ entitlements: [OnsideEntitlement]) {
    guard entitlements != told else { return }
    told = entitlements
    for number in watchers.keys.sorted() { watchers[number]?.yield(entitlements) }
  }
}
