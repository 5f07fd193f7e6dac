import Sodium

/// The key derivation, from PIN, vault and device secret to the key of the box:
///
///     a || b           = Argon2id(PIN, salt)
///     y                = VOPRF(a) under the vault's key; without a vault what a TPM gives out for a, or a itself
///     key, unlock tag  = HKDF-SHA-512(salt: enrolment, y || b || d)
///
/// Testing a guessed PIN needs y; testing it against the vault's data needs d.
enum KeySchedule {
  /// The PIN after Argon2id.
  struct Stretched {
    /// Sent, blinded, to the vault, or used to prove the PIN to a TPM.
    let input: SecretBytes
    /// Never sent.
    let rest: SecretBytes
  }

  /// y, by the counter that released it: the vault, a TPM, or none.
  enum Output {
    case vault(SecretBytes)
    case tpm(SecretBytes)
    case unlimited

    var limit: AttemptLimit {
      switch self {
      case .vault: .server
      case .tpm: .tpm
      case .unlimited: .attemptsNotLimited
      }
    }
  }

  /// The key of the box, and the unlock tag that proves to the vault that it was opened.
  struct Keys {
    let box: SecretBytes
    let unlockTag: SecretBytes
  }

  static func stretch(_ pin: PIN, salt: [UInt8], with argon2id: Argon2id) throws(WalletError) -> Stretched {
    guard let both = argon2id.derive(pin.bytes, salt: salt, count: 64) else {
      throw WalletError(
        .notEnoughMemory,
        explanation: "expected \(argon2id.memory / 1024) MiB of free memory for Argon2id: close other programs")
    }
    return Stretched(input: both.slice(0..<32), rest: both.slice(32..<64))
  }

  /// The proof of the PIN for a ``PINCounter``: 32 bytes, the last not zero, since TPMs cut trailing zeros off.
  static func proof(_ stretched: Stretched, enrolment: [UInt8]) -> SecretBytes {
    let hash = Hash.hkdfSHA512(secret: stretched.input, salt: enrolment, label: "onside wallet 1 proof", count: 31)
    return SecretBytes(joining: [hash, SecretBytes(copying: [1])])
  }

  static func keys(_ stretched: Stretched, output: Output, device: DeviceSecret, enrolment: [UInt8]) -> Keys {
    let (y, way) =
      switch output {
      case .vault(let y): (y, "vault")
      case .tpm(let y): (y, "tpm")
      case .unlimited: (stretched.input, "alone")
      }
    let secret = SecretBytes(joining: [y, stretched.rest, device.share])
    return Keys(
      box: Hash.hkdfSHA512(secret: secret, salt: enrolment, label: "onside wallet 1 box \(way)", count: 32),
      unlockTag: Hash.hkdfSHA512(secret: secret, salt: enrolment, label: "onside wallet 1 unlock \(way)", count: 32))
  }
}
