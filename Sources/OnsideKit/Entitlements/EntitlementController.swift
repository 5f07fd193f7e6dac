import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Follows what the logged-in account may use: from the disk first, then from the store, and again when an order has
/// changed, when something ends or is renewed, and once a day.
///
/// Nothing is read and nobody is asked before an app wants to know. One task does everything, a step at a time.
@MainActor
final class EntitlementController {
  private let store: any Store
  private let account: AccountController
  private let dependencies: Dependencies
  private let file: EntitlementFile
  private let watchers = EntitlementWatchers()

  private var worker: Task<Void, Never>?
  /// Deletes the file at a logout before anything was asked for.
  private var erasure: Task<Void, Never>?
  /// Ends the worker's pause.
  private var waker: AsyncStream<Void>.Continuation?
  /// Whether something has happened since the last step began.
  private var isWoken = false
  private var isClosed = false
  private var isLoaded = false
  /// The account that is followed; nil while logged out.
  private var followed: AccountID?
  private var known: KnownEntitlements?
  private var proof: EntitlementProof?
  /// When the store was asked last for the account, with or without an answer.
  private var askedAt: Date?
  private var needsRefresh = true
  private var failures = 0
  private var retryAt: Date?
  /// The latest moment of the clock that is on disk.
  private var notedAt = Date.distantPast

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

  deinit { worker?.cancel() }

  // MARK: The app

  /// What the account may use. Waits for the disk, and for the store's answer or failure when the disk has no list of
  /// the account, or one in which something that renews has ended.
  func current() async -> [OnsideEntitlement] {
    start()
    while !isSettled, !isClosed, !Task.isCancelled {
      wake()
      await watchers.settled()
    }
    return isClosed ? [] : snapshot()
  }

  /// The signed list behind ``current()``; nil without one.
  func signed() async -> String? {
    _ = await current()
    return isClosed ? nil : proof?.list
  }

  /// What the account may use, now and after each change; a slow reader gets the latest.
  func updates() -> AsyncStream<[OnsideEntitlement]> {
    start()
    return watchers.add(first: isSettled ? snapshot() : nil)
  }

  /// Whether it follows the account: by a task that is at work, or in a pause.
  var isWorking: Bool { worker != nil && !isClosed }

  /// Whether that task is about to leave its pause.
  var isAboutToWork: Bool { isWorking && isWoken }

  // MARK: What happens

  /// The account has logged in or out.
  func accountChanged() {
    if worker == nil, account.signedIn == nil, !isClosed { erasure = Task.detached { [file] in file.erase() } }
    guard worker != nil, followed != account.signedIn?.accountID else { return }
    followed = account.signedIn?.accountID
    (known, proof, askedAt, retryAt, failures) = (nil, nil, nil, nil, 0)
    needsRefresh = true
    watchers.forget()
    wake()
  }

  /// Orders for what lasts, or subscriptions, may have changed.
  func purchasesChanged() {
    (needsRefresh, retryAt) = (true, nil)
    wake()
  }

  /// Stops at once.
  func stop() {
    isClosed = true
    worker?.cancel()
    watchers.end()
  }

  /// Stops; the disk is at rest when this returns.
  func close() async {
    stop()
    await worker?.value
    await erasure?.value
  }

  // MARK: Work

  private func start() {
    guard worker == nil, !isClosed else { return }
    followed = account.signedIn?.accountID
    worker = Task { [weak self, sleep = dependencies.sleep] in
      await self?.load()
      // While it waits, the task holds no reference to the controller, so that this one can be deallocated.
      while let pause = await self?.step(), let wakes = self?.wakes() {
        _ = try? await PresentTask.$isPausing.withValue(true) {
          try await PresentTask.$onlyLooksAtClock.withValue(pause >= Self.longestSleep) {
            try await withDeadline(pause, sleep: sleep) { for await _ in wakes { return } }
          }
        }
        self?.waker = nil
      }
    }
  }

  private func load() async {
    if let account = followed {
      let read = await Task.detached { [file] in file.read(of: account) }.value
      if let read, account == followed {
        (known, proof) = read
        notedAt = read.known.latest
      }
    }
    isLoaded = true
  }

  /// Asks the store if need be, and tells what has changed. Returns for how long nothing else is to be done, in
  /// seconds; nil at the end.
  private func step() async -> TimeInterval? {
    isWoken = false
    if followed == nil { await Task.detached { [file] in file.erase() }.value }
    if !isClosed, isRefreshDue(at: dependencies.now()) { await refresh() }
    if !isClosed { await note() }
    guard !isClosed, !Task.isCancelled else { return nil }
    if isSettled { watchers.tell(snapshot()) }
    return pause(at: dependencies.now())
  }

  private func isRefreshDue(at now: Date) -> Bool {
    guard followed != nil else { return false }
    // A moment far ahead was counted from a clock that has been set right since.
    if let retryAt, retryAt <= now + Self.longestSleep { return now >= retryAt }
    guard let known else { return true }
    return needsRefresh || known.isSetBack(at: now) || now >= known.refreshDue
  }

  private func refresh() async {
    guard let asked = followed else { return }
    needsRefresh = false
    // When it was asked for, not when it is taken in: a process may be suspended between the two.
    let askingAt = dependencies.now()
    do {
      let answer = try await store.entitlements(of: asked, verifiedWith: proof?.keys)
      guard followed == asked, !isClosed else { return }
      known = KnownEntitlements(answer.list, of: asked, receivedAt: askingAt)
      proof = answer.proof
      (failures, retryAt, askedAt) = (0, nil, dependencies.now())
      await keep()
    } catch {
      guard followed == asked, !isClosed else { return }
      askedAt = dependencies.now()
      failed(error)
    }
  }

  private func failed(_ error: StoreError) {
    if error == .notSignedIn { return account.sessionEnded() }
    failures += 1
    needsRefresh = true
    let jitter = dependencies.randomBytes(1).first ?? 0
    let pause =
      error.isRetryable ? BackOff.seconds(attempt: failures, pause: .long, jitter: jitter) : Self.longestSleep
    retryAt = dependencies.now() + pause
    if !error.isRetryable { dependencies.logger.error("The store has not told what the account may use: \(error)") }
  }

  /// Puts what the clock shows on disk from time to time: a clock that is set back later is noticed.
  private func note() async {
    let now = dependencies.now()
    guard known?.isSetBack(at: now) == false, now >= notedAt + Self.noteDistance else { return }
    known?.see(now)
    await keep()
  }

  private func keep() async {
    guard let known, let proof else { return }
    notedAt = known.latest
    await Task.detached { [file, now = dependencies.now()] in file.write(known, proof: proof, at: now) }.value
  }

  private func pause(at now: Date) -> TimeInterval {
    var moments = [now + Self.longestSleep]
    if let retryAt { moments.append(retryAt) }
    if let known { moments += [known.nextEnd(after: now), retryAt ?? known.refreshDue].compactMap(\.self) }
    return max(1, (moments.min() ?? now).timeIntervalSince(now))
  }

  /// What ends the next pause: something that has happened since the step began, or will.
  private func wakes() -> AsyncStream<Void> {
    let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if isWoken { waker.yield() }
    self.waker = waker
    return wakes
  }

  private func wake() {
    isWoken = true
    waker?.yield()
  }

  // MARK: What is known

  /// Whether what is known is what the app is to be told, or the store has been asked and nothing better can be had.
  private var isSettled: Bool {
    guard isLoaded, followed != nil else { return isLoaded }
    guard let known else { return askedAt != nil }
    guard let outdated = known.outdated(at: dependencies.now()) else { return true }
    return retryAt != nil || askedAt.map { $0 >= outdated } == true
  }

  private func snapshot() -> [OnsideEntitlement] {
    let now = dependencies.now()
    if known?.isSetBack(at: now) == false { known?.see(now) }
    return known?.entitlements(at: now) ?? []
  }
}
