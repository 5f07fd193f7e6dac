/// A store of device secrets, one for each enrolment.
///
/// A secret that cannot be read now is an error (``WalletError/Kind/deviceSecretLocked``,
/// ``WalletError/Kind/deviceSecretUnreachable``) and never nil: callers treat an absent secret as lost.
public protocol DeviceSecretStore: Sendable {
  /// Where the secret of an enrolment is kept, for users: "TPM 2.0", "Secret Service", "file".
  func name(of enrolment: [UInt8]) throws -> String
  /// The secret of 64 bytes, handed to `body` and overwritten afterwards; nil when there is none.
  func withSecret<Result>(of enrolment: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result?
  /// Keeps a secret durably.
  func store(_ secret: UnsafeRawBufferPointer, of enrolment: [UInt8]) throws
  /// Deletes the secret durably, and what its counter keeps; does nothing when there is none.
  func remove(_ enrolment: [UInt8]) throws
  /// The counter of wrong PINs for an enrolment that has a secret here and no vault; nil where the store cannot count.
  func counter(of enrolment: [UInt8]) throws -> (any PINCounter)?
}

extension DeviceSecretStore {
  /// No counter.
  public func counter(of enrolment: [UInt8]) throws -> (any PINCounter)? { nil }
}

/// A chip that releases a secret only for one enrolment's PIN, counts wrong PINs, and locks.
public protocol PINCounter: Sendable {
  /// The rules and the current count.
  var lockout: Lockout { get throws }
  /// Keeps a secret durably that it gives out for a proof of the PIN: 32 bytes, the last not zero.
  func store(_ secret: UnsafeRawBufferPointer, for proof: UnsafeRawBufferPointer) throws
  /// One try: the secret, handed to `body`; nil when the proof is wrong, which was counted then.
  /// - Throws: ``WalletError/Kind/wait`` while it is locked.
  func withSecret<Result>(
    for proof: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result?
}

/// How a chip limits tries. The count includes the tries of other programs.
public struct Lockout: Sendable, Hashable {
  /// At how many wrong PINs it locks.
  public let tries: Int
  /// Wrong PINs that it has not forgotten.
  public let failed: Int
  /// After how many seconds it forgets one.
  public let interval: Int
  /// Whether it is locked now.
  public let isLocked: Bool
  /// Whether an administrator of this machine can reset the count, since the chip has no lockout password.
  public let isClearable: Bool

  /// A reading of a chip's properties.
  public init(tries: Int, failed: Int, interval: Int, isLocked: Bool, isClearable: Bool) {
    self.tries = tries
    self.failed = failed
    self.interval = interval
    self.isLocked = isLocked
    self.isClearable = isClearable
  }

  /// Whether the rules protect a PIN of six digits: at most 100 tries before it locks, and at least a minute for each
  /// further one.
  public var limitsTries: Bool { (1...100).contains(tries) && interval >= 60 }
  /// How many wrong PINs there may be until it locks.
  public var remaining: Int { isLocked ? 0 : max(tries - failed, 0) }
  /// At most; the chip does not say how much of the interval is over.
  public var secondsToWait: Int { remaining > 0 ? 0 : interval }
}
