import Foundation
import OnsideAPI
import OnsideCommerce

/// What is known of the followed account's entitlements, and when something is to be done about them: values alone, the
/// time is an argument. `EntitlementController` reads the disk, asks the store and tells the app.
struct EntitlementMachine {
  /// The longest time that the clock is not looked at, in seconds.
  static let longestSleep: TimeInterval = 3600
  /// How often the latest moment of the clock is put on disk, in seconds.
  private static let noteDistance: TimeInterval = 600

  /// The account that is followed; nil while logged out.
  private(set) var followed: AccountID?
  private(set) var known: KnownEntitlements?
  private(set) var proof: EntitlementProof?

  private var isLoaded = false
  /// When the store was asked last for the account, with or without an answer.
  private var askedAt: Date?
  private var needsRefresh = true
  private var failures = 0
  private var retryAt: Date?
  /// The latest moment of the clock that is on disk.
  private var notedAt = Date.distantPast

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
    (self.known, self.proof, notedAt) = (known, proof, known.latest)
  }

  /// Orders for what lasts, or subscriptions, may have changed.
  mutating func purchasesChanged() { (needsRefresh, retryAt) = (true, nil) }

  /// The store is asked now: what changes from here on needs another question.
  mutating func startRefresh() { needsRefresh = false }

  /// The store has answered to what was asked.
  mutating func received(_ known: KnownEntitlements, _ proof: EntitlementProof, at now: Date) {
    (self.known, self.proof) = (known, proof)
    (failures, retryAt, askedAt) = (0, nil, now)
  }

  /// The store was asked in vain.
  mutating func gotNoAnswer(at now: Date) { askedAt = now }

  /// The store is asked again later.
  ///
  /// - Parameter jitter: a random byte.
  mutating func retryLater(isRetryable: Bool, jitter: UInt8, at now: Date) {
    failures += 1
    needsRefresh = true
    let pause = isRetryable ? BackOff.seconds(attempt: failures, pause: .long, jitter: jitter) : Self.longestSleep
    retryAt = now + pause
  }

  /// The clock shows a moment. Returns whether it is to be put on disk, so that a clock that is set back later is
  /// noticed.
  mutating func note(_ now: Date) -> Bool {
    guard known?.isSetBack(at: now) == false, now >= notedAt + Self.noteDistance else { return false }
    known?.see(now)
    return true
  }

  /// What is known is being put on disk.
  mutating func startWriting() { notedAt = known?.latest ?? notedAt }

  // MARK: What is to be done

  /// Whether the store is to be asked.
  func isRefreshDue(at now: Date) -> Bool {
    guard followed != nil else { return false }
    // A moment far ahead was counted from a clock that has been set right since.
    if let retryAt, retryAt <= now + Self.longestSleep { return now >= retryAt }
    guard let known else { return true }
    return needsRefresh || known.isSetBack(at: now) || now >= known.refreshDue
  }

  /// For how long nothing is to be done, in seconds.
  func pause(at now: Date) -> TimeInterval {
    var moments = [now + Self.longestSleep]
    if let retryAt { moments.append(retryAt) }
    if let known { moments += [known.nextEnd(after: now), retryAt ?? known.refreshDue].compactMap(\.self) }
    return max(1, (moments.min() ?? now).timeIntervalSince(now))
  }

  /// Whether what is known is what the app is to be told, or the store has been asked and nothing better can be had.
  func isSettled(at now: Date) -> Bool {
    guard isLoaded, followed != nil else { return isLoaded }
    guard let known else { return askedAt != nil }
    guard let outdated = known.outdated(at: now) else { return true }
    return retryAt != nil || askedAt.map { $0 >= outdated } == true
  }

  /// What the app is told.
  mutating func entitlements(at now: Date) -> [OnsideEntitlement] {
    if known?.isSetBack(at: now) == false { known?.see(now) }
    return known?.entitlements(at: now) ?? []
  }
}
