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
  private var machine = EntitlementMachine()

  init(store: any Store, account: AccountController, file: EntitlementFile, dependencies: Dependencies) {
    self.store = store
    self.account = account
    self.file = file
    self.dependencies = dependencies
  }

  deinit { worker?.cancel() }

  // MARK: The app

  /// What the account may use. Waits for the disk, and for the store's answer or failure when purchases have changed,
  /// when the disk has no list of the account, when a period that renews has ended, and when the clock was set back.
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
    return isClosed ? nil : machine.proof?.list
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
    if worker == nil, account.signedIn == nil, !isClosed {
      erasure = Task.detached { [file, erasure] in
        await erasure?.value
        file.erase()
      }
    }
    guard worker != nil, machine.followed != account.signedIn?.accountID else { return }
    machine.follow(account.signedIn?.accountID)
    watchers.forget()
    wake()
  }

  /// Has the store asked for a new list, because purchases of the account may have changed; ``current()`` waits for it.
  func purchasesChanged() {
    machine.purchasesChanged()
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
    machine.follow(account.signedIn?.accountID)
    worker = Task { [weak self, erasure, sleep = dependencies.sleep] in
      // A list that the next login writes must not be deleted for the logout before it.
      await erasure?.value
      await self?.load()
      // While it waits, the task holds no reference to the controller, so that this one can be deallocated.
      while let pause = await self?.step(), let wakes = self?.wakes() {
        _ = try? await PresentTask.$isPausing.withValue(true) {
          try await PresentTask.$onlyLooksAtClock.withValue(pause.isClockCheck) {
            try await withDeadline(pause.seconds, sleep: sleep) { for await _ in wakes { return } }
          }
        }
        self?.waker = nil
      }
    }
  }

  private func load() async {
    guard let account = machine.followed else { return machine.loaded(nil, nil) }
    let read = await Task.detached { [file] in file.read(of: account) }.value
    let isFollowed = account == machine.followed
    machine.loaded(isFollowed ? read?.known : nil, isFollowed ? read?.proof : nil)
  }

  /// Asks the store if need be, and tells what has changed. Returns for how long nothing else is to be done; nil at the
  /// end.
  private func step() async -> EntitlementMachine.Pause? {
    isWoken = false
    if machine.followed == nil { await Task.detached { [file] in file.erase() }.value }
    if !isClosed, machine.isRefreshDue(at: dependencies.now()) { await refresh() }
    if !isClosed { await note() }
    guard !isClosed, !Task.isCancelled else { return nil }
    if isSettled { watchers.tell(snapshot()) }
    return machine.pause(at: dependencies.now())
  }

  private func refresh() async {
    guard let asked = machine.followed else { return }
    machine.startRefresh()
    // When it was asked for, not when it is taken in: a process may be suspended between the two.
    let askingAt = dependencies.now()
    do {
      let answer = try await store.entitlements(of: asked, verifiedWith: machine.proof?.keys)
      guard machine.followed == asked, !isClosed else { return }
      let known = KnownEntitlements(answer.list, of: asked, receivedAt: askingAt)
      machine.received(known, answer.proof, at: dependencies.now())
      await keep()
    } catch {
      guard machine.followed == asked, !isClosed else { return }
      machine.gotNoAnswer(at: dependencies.now())
      failed(error)
    }
  }

  private func failed(_ error: StoreError) {
    if error == .notSignedIn { return account.sessionEnded() }
    let jitter = dependencies.randomBytes(1).first ?? 0
    machine.retryLater(isRetryable: error.isRetryable, jitter: jitter, at: dependencies.now())
    if !error.isRetryable { dependencies.logger.error("The store has not told what the account may use: \(error)") }
  }

  /// Puts what the clock shows on disk from time to time.
  private func note() async {
    if machine.note(dependencies.now()) { await keep() }
  }

  private func keep() async {
    guard let known = machine.known, let proof = machine.proof else { return }
    machine.startWriting()
    await Task.detached { [file, now = dependencies.now()] in file.write(known, proof: proof, at: now) }.value
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

  private var isSettled: Bool { machine.isSettled(at: dependencies.now()) }

  private func snapshot() -> [OnsideEntitlement] { machine.entitlements(at: dependencies.now()) }
}
