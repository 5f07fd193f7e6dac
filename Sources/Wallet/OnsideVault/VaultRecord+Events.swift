public import Foundation
import OnsideAPI
import Sodium

/// An event that changes a record.
public enum VaultEvent: Hashable, Sendable {
  /// A try: the device asks for an evaluation.
  case evaluate
  /// The device sends the hash of its unlock tag: SHA-256, 32 bytes.
  case seal(tagHash: [UInt8])
  /// The device proves that it was opened, with the unlock tag.
  case confirm(tag: [UInt8])
  /// Another enrolment was confirmed in this one's place.
  case replace
  /// The device deletes it.
  case destroy
  /// The database was put back from a backup.
  case restore
}

/// The action of the caller once the changed record is on disk.
public enum VaultEffect: Hashable, Sendable {
  /// Answer how the record stands.
  case answer
  /// Multiply with this key and answer; the record may have lost it by now.
  case evaluate(VaultKey)
}

extension VaultRecord {
  /// Applies an event. A refusal changes nothing.
  public mutating func handle(_ event: VaultEvent, at now: Date) throws(VaultRefusal) -> VaultEffect {
    switch event {
    case .evaluate: return .evaluate(try takeTry(now))
    case .seal(let tagHash): try seal(tagHash)
    case .confirm(let tag): try confirm(tag)
    case .replace: try beReplaced()
    case .destroy: if key != nil { deleteKey(.destroyed) }
    case .restore: beRestored()
    }
    return .answer
  }

  /// Checks and admits a signed request of the device. The caller checks afterwards that its nonce is fresh.
  ///
  /// - Parameter clock: the vault's clock, which no sandbox moves.
  /// - Throws: ``VaultRefusal/clock`` and ``VaultRefusal/replayed`` mean that the device signs again, with the time of
  ///   ``clock(at:)``.
  public mutating func admit(_ signature: VaultSignature, clock: Date) throws(VaultRefusal) {
    guard signature.deviceKey == deviceKey else { throw .notFound }
    guard signature.time > requestsAfter else {
      try signature.check(clock: clock)
      throw .replayed
    }
    try signature.check(clock: self.clock(at: clock))
    // Rounded down to a minute, so that the caller need not look for old nonces at each request.
    let tooOld = signature.time - 2 * Int64(VaultRules.clockTolerance) * 1000
    requestsAfter = max(requestsAfter, tooOld - tooOld % 60_000)
  }

  /// The time that this record's requests are checked against: the vault's clock, but never earlier than the admitted
  /// requests. If the vault's clock was ahead once, this time continues from there: the times of dropped nonces stay in
  /// the past, and the owner's requests are still admitted.
  public func clock(at clock: Date) -> Date {
    guard requestsAfter > 0 else { return clock }
    return max(clock, Date(timeIntervalSince1970: Double(requestsAfter) / 1000 + 2 * VaultRules.clockTolerance))
  }

  /// Counts a try and returns the key. The caller evaluates with it after the count is on disk.
  private mutating func takeTry(_ now: Date) throws(VaultRefusal) -> VaultKey {
    let key = try living()
    // One PIN opens at a time: while a change is under way, that is the old one.
    guard state != .sealed || replaces == nil else { throw .notCurrent }
    guard now >= waitsUntil else { throw .wait }
    tries += 1
    if tries >= VaultRules.tries {
      deleteKey(.destroyed)
    } else if case let wait = VaultRules.wait(afterTry: tries), wait > 0 {
      // A record stores whole milliseconds, rounded up: a wait of zero, stored as one until now, would last for the
      // rest of this millisecond.
      waitsUntil = max(waitsUntil, now + wait)
    }
    return key
  }

  private mutating func seal(_ tagHash: [UInt8]) throws(VaultRefusal) {
    _ = try living()
    guard let known = self.tagHash else {
      (self.tagHash, state) = (tagHash, .sealed)
      return
    }
    guard Sodium.isEqual(known, tagHash) else { throw .notCurrent }
  }

  private mutating func confirm(_ tag: [UInt8]) throws(VaultRefusal) {
    _ = try living()
    guard let tagHash else { throw .notCurrent }
    guard Sodium.isEqual(Hash.sha256(tag), tagHash) else { throw .tagMismatch }
    (state, tries, waitsUntil) = (.confirmed, isRestored ? tries : 0, isRestored ? waitsUntil : .distantPast)
  }

  private mutating func beReplaced() throws(VaultRefusal) {
    switch state {
    case .confirmed: deleteKey(.replaced)
    case .destroyed: break
    default: throw .notCurrent
    }
  }

  /// The count of a backup is older than the tries that were made since: all but one are taken to be spent.
  private mutating func beRestored() {
    guard key != nil else { return }
    (tries, isRestored) = (max(tries, VaultRules.tries - 1), true)
  }

  private mutating func deleteKey(_ state: VaultState) {
    (self.state, key) = (state, nil)
  }

  private func living() throws(VaultRefusal) -> VaultKey {
    if let key { return key }
    throw state == .replaced ? .replaced : .destroyed
  }
}

extension VaultSignature {
  /// Refuses a request whose device has another time than the vault.
  public func check(clock: Date) throws(VaultRefusal) {
    let difference = Double(time) / 1000 - clock.timeIntervalSince1970
    guard abs(difference) <= VaultRules.clockTolerance else { throw .clock }
  }
}
