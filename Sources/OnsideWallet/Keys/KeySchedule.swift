import Sodium

/// From PIN, vault and device secret to the key of the box:
///
///     a || b           = Argon2id(PIN, salt)
///     y                = VOPRF(a) under the vault's key, or a itself without a vault
///     key, unlock tag  = HKDF-SHA-512(salt: enrolment, y || b || d)
///
/// Without y nobody tests a PIN, without d nobody tests what the vault knows.
enum KeySchedule {
  /// The PIN after Argon2id.
  struct Stretched {
    /// Goes, blinded, to the vault.
    let input: SecretBytes
    /// Stays.
    let rest: SecretBytes
  }

  /// What opens the box, and what proves to the vault that it was opened.
  struct Keys {
    let box: SecretBytes
    let unlockTag: SecretBytes
  }

  static func stretch(_ pin: PIN, salt: [UInt8], with argon2id: Argon2id) throws(WalletError) -> Stretched {
    guard let both = argon2id.derive(pin.bytes, salt: salt, count: 64) else {
      throw WalletError(
        .notEnoughMemory, "expected \(argon2id.memory / 1024) MiB of free memory for Argon2id: close other programs")
    }
    return Stretched(input: both.slice(0..<32), rest: both.slice(32..<64))
  }

  /// `output` is the vault's y; nil when there is no vault.
  static func keys(_ stretched: Stretched, output: SecretBytes?, device: DeviceSecret, enrolment: [UInt8]) -> Keys {
    let way = output == nil ? "alone" : "vault"
    let secret = SecretBytes(joining: [output ?? stretched.input, stretched.rest, device.share])
    return Keys(
      box: Hash.hkdfSHA512(secret: secret, salt: enrolment, label: "onside wallet 1 box \(way)", count: 32),
      unlockTag: Hash.hkdfSHA512(secret: secret, salt: enrolment, label: "onside wallet 1 unlock \(way)", count: 32))
  }
}
