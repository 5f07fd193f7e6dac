public import OnsideAPI

/// Why the vault does not do what it was asked for.
public struct VaultRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code on the wire.
  public let code: ProblemCode
  /// What was expected, what came and what to do.
  public let description: String

  /// There is no such enrolment for this device.
  public static let notFound = VaultRefusal(
    code: .notFound, description: "There is no such enrolment of this device; it may have been dropped unconfirmed.")
  /// The device's clock is off.
  public static let clock = VaultRefusal(
    code: .vaultClock, description: "Expected the time within five minutes; sign again with the time of `server_time`.")
  /// The request came before.
  public static let replayed = VaultRefusal(
    code: .vaultReplayed, description: "This request came before, or is too old. Sign a new one; it was not counted.")
  /// A wait is not over.
  public static let wait = VaultRefusal(
    code: .vaultWait, description: "Too many tries. Wait as long as `Retry-After` says; this one was not counted.")
  /// The key is deleted.
  public static let destroyed = VaultRefusal(
    code: .vaultDestroyed, description: "The key of this enrolment is deleted. Recover by the words and enrol anew.")
  /// Another PIN counts.
  public static let replaced = VaultRefusal(
    code: .vaultReplaced, description: "The PIN was changed; use the enrolment that took the place of this one.")
  /// Not now.
  public static let notCurrent = VaultRefusal(
    code: .vaultNotCurrent, description: "The enrolment is not in a state for this; `vault` says where it stands.")
  /// Another tag.
  public static let tagMismatch = VaultRefusal(
    code: .vaultTagMismatch, description: "The unlock tag is not the one that the enrolment was sealed with.")
  /// Not an element.
  public static let elementInvalid = VaultRefusal(
    code: .vaultElementInvalid,
    description: "Expected 32 bytes: an element of ristretto255 other than the identity. This was not counted.")
}
