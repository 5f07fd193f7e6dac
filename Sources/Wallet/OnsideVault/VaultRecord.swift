public import Foundation
public import OnsideAPI

/// The vault's record of one enrolment, and the rules by which it changes. It contains no PIN, name or address, and
/// uses neither clock nor disk: the caller writes the changed record to disk before it answers the request.
public struct VaultRecord: Hashable, Sendable {
  /// Names the enrolment.
  public let enrolment: VaultEnrolmentID
  /// The device's public key, 32 bytes: only what it has signed counts.
  public let deviceKey: [UInt8]
  /// The public half of the key, 32 bytes.
  public let publicKey: [UInt8]
  /// The enrolment whose place this one takes when it is confirmed.
  public let replaces: VaultEnrolmentID?
  /// 1 for the first PIN, one more for each that took its place.
  public let epoch: Int
  /// When it was enrolled.
  public let enrolledAt: Date
  /// Where it stands.
  public var state = VaultState.open
  /// The secret key; nil once it is deleted.
  public var key: VaultKey?
  /// SHA-256 of the unlock tag, 32 bytes.
  public var tagHash: [UInt8]?
  /// Tries since the last proof that one was right.
  public var tries = 0
  /// No try is allowed before this moment.
  public var waitsUntil = Date.distantPast
  /// True when it came back with a backup: there is one try, and the wallet enrols anew.
  public var isRestored = false
  /// Requests signed before this are refused, milliseconds since 1970: their nonces may be forgotten.
  public var requestsAfter: Int64 = 0

  /// A new enrolment. The key is the vault's own, fresh from random bytes.
  ///
  /// - Parameter old: the enrolment whose place it takes; one whose key is deleted leaves its epoch and nothing else.
  public init?(
    _ enrolment: VaultEnrolmentID, deviceKey: [UInt8], key: VaultKey, replacing old: VaultRecord? = nil, at now: Date
  ) {
    guard let publicKey = key.publicKey else { return nil }
    self.init(
      enrolment: enrolment, deviceKey: deviceKey, publicKey: publicKey,
      replaces: old?.state == .confirmed ? old?.enrolment : nil, epoch: (old?.epoch ?? 0) + 1, enrolledAt: now)
    self.key = key
  }

  /// A record as it was kept: what may change is set afterwards.
  public init(
    enrolment: VaultEnrolmentID, deviceKey: [UInt8], publicKey: [UInt8], replaces: VaultEnrolmentID?, epoch: Int,
    enrolledAt: Date
  ) {
    self.enrolment = enrolment
    self.deviceKey = deviceKey
    self.publicKey = publicKey
    self.replaces = replaces
    self.epoch = epoch
    self.enrolledAt = enrolledAt
  }

  /// How many more tries there are before the key is deleted.
  public var triesRemaining: Int { key == nil ? 0 : max(0, VaultRules.tries - tries) }

  /// True when the wallet must enrol anew as soon as its PIN has opened it.
  public var enrolsAnew: Bool { state == .destroyed || isRestored }

  /// Whether it was not confirmed in time and is to be dropped.
  public func isExpired(at now: Date) -> Bool {
    (state == .open || state == .sealed) && now >= enrolledAt + VaultRules.confirmationTime
  }

  /// How it stands, for the device.
  public func message(at now: Date) -> VaultMessage {
    let wait = key == nil ? 0 : max(0, waitsUntil.timeIntervalSince(now)).rounded(.up)
    return VaultMessage(
      enrolment: enrolment, state: state, epoch: epoch, publicKey: WireBytes(publicKey),
      triesRemaining: triesRemaining, retryAfter: Int(min(wait, 1e9)), enrolsAnew: enrolsAnew)
  }
}
