import Foundation
import OnsideAPI
import OnsideCommerce

/// What is known of the followed account's entitlements, and when something is to be done about them: values alone, the
/// time is an argument. `EntitlementController` reads the disk, asks the store and tells the app.
struct EntitlementMachine {
  /// A time in which nothing is to be done.
  struct Pause: Hashable {
    let seconds: TimeInterval
    /// Whether it ends to look at the clock, and for nothing else.
    let isClockCheck: Bool
  }

  /// What is due later than in so many seconds is not waited for: the clock is looked at from time to time.
  private static let dueHorizon: TimeInterval = 3600
  /// How often that is, in seconds; within the hour before something is due it is not looked at. What it shows is put
  /// on disk as often, so that a clock that is set back between two launches is noticed.
  private static let clockCheckInterval: TimeInterval = 600
  /// After how many seconds the store is asked again when it has refused.
  private static let refusalPause: TimeInterval = 3600

  /// The account that is followed; nil while logged out.
  private(set) var followed: AccountID?
  private(set) var known: KnownEntitlements?
  private(set) var proof: EntitlementProof?

  private var isLoaded = false
  /// When the store was asked last for the account, with or without an answer.
  private var askedAt: Date?
  private var needsRefresh = true
  /// Whether purchases have changed and no request that began after the change has ended.
  private var isChanged = false
  private var failures = 0
  private var retryAt: Date?
  /// What of the clock is on disk.
  private var noted: KnownEntitlements?

  // MARK: What happens

  /// Another account is followed, of which nothing is known yet.
  mutating func follow(_ account: AccountID?) {
    followed = account
    (known, proof, askedAt, retryAt, failures) = (nil, nil, nil, nil, 0)
    needsRefresh = true
  }

  /// The disk was read; nil when it has nothing of the account.
  mutating func loaded(_ known: KnownEntitlements?, _ proof: EntitlementProof?) {
    isLoaded = true
    guard let known, let proof else { return }
    (self.known, self.proof, noted) = (known, proof, known)
  }

  /// Records that the account's purchases may have changed: the list counts as unsettled until one request that begins
  /// from now on has ended.
  mutating func purchasesChanged() { (needsRefresh, isChanged, retryAt) = (true, true, nil) }

  /// The store is asked now: what changes from here on needs another question.
  mutating func startRefresh() { needsRefresh = false }

  /// The store has answered to what was asked.
  mutating func received(_ known: KnownEntitlements, _ proof: EntitlementProof, at now: Date) {
    (self.known, self.proof) = (known, proof)
    (failures, retryAt, askedAt) = (0, nil, now)
    isChanged = needsRefresh
  }

  /// The store was asked in vain.
  mutating func gotNoAnswer(at now: Date) {
    askedAt = now
    isChanged = needsRefresh
  }

  /// The store is asked again later.
  ///
  /// - Parameter jitter: a random byte.
  mutating func retryLater(isRetryable: Bool, jitter: UInt8, at now: Date) {
    failures += 1
    needsRefresh = true
    // A change during the failed request is asked about at once.
    guard !isChanged else { return }
    let pause = isRetryable ? BackOff.seconds(attempt: failures, pause: .long, jitter: jitter) : Self.refusalPause
    retryAt = now + pause
  }

  /// The clock shows a moment. Returns whether that is to be put on disk: each step back is, and every ten minutes.
  mutating func note(_ now: Date) -> Bool {
    known?.see(now)
    guard let known, let noted else { return known != nil }
    return known.stepsBack > noted.stepsBack || known.seen >= noted.seen + Self.clockCheckInterval
  }

  /// What is known is being put on disk.
  mutating func startWriting() { noted = known }

  // MARK: What is to be done

  /// Whether the store is to be asked.
  func isRefreshDue(at now: Date) -> Bool {
    guard followed != nil else { return false }
    if let retryAt, isRetryPlanned(at: now) { return now >= retryAt }
    guard let known else { return true }
    return needsRefresh || known.isSetBack(at: now) || now >= known.refreshDue
  }

  /// For how long nothing is to be done.
  func pause(at now: Date) -> Pause {
    let due = [retryAt ?? known?.refreshDue, known?.nextEnd(after: now)].compactMap(\.self).min()
    guard let due, due < now + Self.dueHorizon else {
      return Pause(seconds: Self.clockCheckInterval, isClockCheck: true)
    }
    return Pause(seconds: max(1, due.timeIntervalSince(now)), isClockCheck: false)
  }

  /// Whether what is known is what the app is to be told, or the store has been asked and nothing better can be had.
  func isSettled(at now: Date) -> Bool {
    guard isLoaded, followed != nil else { return isLoaded }
    if isChanged { return false }
    guard let known else { return askedAt != nil }
    guard let outdated = known.outdated(at: now) else { return true }
    // Only a request after the step back can tell more.
    if known.isSetBack(at: now) { return isRetryPlanned(at: now) }
    return retryAt != nil || askedAt.map { $0 >= outdated } == true
  }

  /// Whether the last request has failed and the next one is planned. A time far ahead was computed from a clock that
  /// has been set back since.
  private func isRetryPlanned(at now: Date) -> Bool { retryAt.map { $0 <= now + Self.refusalPause } == true }

  /// What the app is told.
  mutating func entitlements(at now: Date) -> [OnsideEntitlement] {
    known?.see(now)
    return known?.entitlements(at: now) ?? []
  }
}
