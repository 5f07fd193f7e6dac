/// Names one enrolment in the vault: 16 random bytes, made by the wallet, one for each PIN and each vault.
public struct VaultEnrolmentID: Hashable, Sendable, Codable, LosslessStringConvertible {
  /// How many bytes an id has.
  public static let length = 16

  /// The bytes.
  public let bytes: [UInt8]

  /// Wraps 16 bytes; nil for another count.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Reads 22 characters of base64url.
  public init?(_ description: String) {
    guard let wire = WireBytes(description) else { return nil }
    self.init(wire.bytes)
  }

  /// 22 characters of base64url.
  public var description: String { WireBytes(bytes).description }

  /// Reads 22 characters of base64url.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = VaultEnrolmentID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected 16 bytes as base64url")
    }
    self = value
  }

  /// Writes 22 characters of base64url.
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// The state of an enrolment. A struct, so that a new state breaks no client.
public struct VaultState: RawRepresentable, Hashable, Sendable, Codable {
  /// The name on the wire.
  public let rawValue: String
  /// Makes a state from its name on the wire; unknown names are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Enrolled; the vault does not know its unlock tag yet. Dropped after a day.
  public static let open = VaultState(rawValue: "open")
  /// The vault has the hash of the unlock tag; no device has proved yet that it holds the tag. Dropped after a day.
  public static let sealed = VaultState(rawValue: "sealed")
  /// In use.
  public static let confirmed = VaultState(rawValue: "confirmed")
  /// Another PIN took its place; the key is deleted.
  public static let replaced = VaultState(rawValue: "replaced")
  /// The key is deleted: after ten tries, or because the wallet asked for it.
  public static let destroyed = VaultState(rawValue: "destroyed")
}

/// The body of ``Route/vaultEnrol``. The device's key is the one that signs the request. Sending it again answers the
/// same.
public struct VaultEnrolRequest: Hashable, Sendable, Codable {
  /// The new enrolment.
  public var enrolment: VaultEnrolmentID
  /// With a change of PIN, or after a key was deleted: the enrolment whose place it takes.
  public var replaces: VaultEnrolmentID?
  /// Reserved: how many vaults the wallet enrols with. 1 in this version.
  public var servers: Int?
  /// Reserved: how many of them are needed to sign in. 1 in this version.
  public var threshold: Int?

  /// Makes a request.
  public init(enrolment: VaultEnrolmentID, replaces: VaultEnrolmentID? = nil) {
    self.enrolment = enrolment
    self.replaces = replaces
  }
}

/// The body of ``Route/vaultEvaluate``.
public struct VaultEvaluateRequest: Hashable, Sendable, Codable {
  /// The blinded element (RFC 9497), 32 bytes.
  public var blinded: WireBytes
  /// Makes a request.
  public init(blinded: WireBytes) { self.blinded = blinded }
}

/// The body of ``Route/vaultSeal``: what the vault will compare the unlock tag with.
public struct VaultSealRequest: Hashable, Sendable, Codable {
  /// SHA-256 of the unlock tag, 32 bytes.
  public var tagHash: WireBytes

  enum CodingKeys: String, CodingKey { case tagHash = "tag_hash" }

  /// Makes a request.
  public init(tagHash: WireBytes) { self.tagHash = tagHash }
}

/// The body of ``Route/vaultConfirm``: proof that the wallet was opened.
public struct VaultConfirmRequest: Hashable, Sendable, Codable {
  /// The unlock tag, 32 bytes.
  public var unlockTag: WireBytes

  enum CodingKeys: String, CodingKey { case unlockTag = "unlock_tag" }

  /// Makes a request.
  public init(unlockTag: WireBytes) { self.unlockTag = unlockTag }
}

/// How an enrolment stands: the answer of every vault route but ``Route/vaultEvaluate``, and beside every refusal of
/// one.
public struct VaultMessage: Hashable, Sendable, Codable {
  /// Which enrolment.
  public var enrolment: VaultEnrolmentID
  /// Where it stands.
  public var state: VaultState
  /// 1 for the first PIN, one more for each that took its place.
  public var epoch: Int
  /// The vault's public key for this enrolment, 32 bytes: pin it.
  public var publicKey: WireBytes
  /// How many more tries there are before the key is deleted; 0 when it is.
  public var triesRemaining: Int
  /// Seconds until the next try is allowed; 0 for now.
  public var retryAfter: Int
  /// True when the wallet must enrol anew as soon as the PIN has opened it: the key is deleted, or the vault was
  /// restored from a backup and allows one try only.
  public var enrolsAnew: Bool

  enum CodingKeys: String, CodingKey {
    case enrolment, state, epoch
    case publicKey = "public_key"
    case triesRemaining = "tries_remaining"
    case retryAfter = "retry_after"
    case enrolsAnew = "enrols_anew"
  }

  /// Makes an answer.
  public init(
    enrolment: VaultEnrolmentID, state: VaultState, epoch: Int, publicKey: WireBytes, triesRemaining: Int,
    retryAfter: Int, enrolsAnew: Bool
  ) {
    self.enrolment = enrolment
    self.state = state
    self.epoch = epoch
    self.publicKey = publicKey
    self.triesRemaining = triesRemaining
    self.retryAfter = retryAfter
    self.enrolsAnew = enrolsAnew
  }
}

/// The answer of ``Route/vaultEvaluate``.
public struct VaultEvaluationMessage: Hashable, Sendable, Codable {
  /// The evaluated element (RFC 9497), 32 bytes.
  public var element: WireBytes
  /// The proof that the pinned key was used, 64 bytes.
  public var proof: WireBytes
  /// How the enrolment stands with this try counted.
  public var vault: VaultMessage

  /// Makes an answer.
  public init(element: WireBytes, proof: WireBytes, vault: VaultMessage) {
    self.element = element
    self.proof = proof
    self.vault = vault
  }
}
