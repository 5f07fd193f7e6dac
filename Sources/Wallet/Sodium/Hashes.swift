import CSodium

/// SHA-256 and SHA-512 (FIPS 180-4), and HMAC-SHA-512 (RFC 2104).
package enum Hash {
  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, message, UInt64(message.count))
    return digest
  }

  package static func sha512(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha512_BYTES))
    crypto_hash_sha512(&digest, message, UInt64(message.count))
    return digest
  }

  /// SHA-512 of several parts one after the other, kept where secrets are kept.
  package static func sha512(_ parts: [SecretBytes]) -> SecretBytes {
    SecretBytes(
      count: Int(crypto_hash_sha512_BYTES),
      filledBy: { target in
        var state = crypto_hash_sha512_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        crypto_hash_sha512_init(&state)
        for part in parts { part.withPointer { _ = crypto_hash_sha512_update(&state, $0, UInt64(part.count)) } }
        crypto_hash_sha512_final(&state, target)
      })
  }

  /// SHA-256 of a secret, kept where secrets are kept.
  package static func sha256(_ message: SecretBytes) -> SecretBytes {
    SecretBytes(
      count: Int(crypto_hash_sha256_BYTES),
      filledBy: { target in message.withPointer { _ = crypto_hash_sha256(target, $0, UInt64(message.count)) } })
  }

  /// HMAC-SHA-512 of several parts one after the other, under a key of any length.
  package static func hmacSHA512(key: SecretBytes, _ parts: [SecretBytes]) -> SecretBytes {
    SecretBytes(
      count: Int(crypto_auth_hmacsha512_BYTES),
      filledBy: { target in
        var state = crypto_auth_hmacsha512_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        key.withPointer { _ = crypto_auth_hmacsha512_init(&state, $0, key.count) }
        for part in parts { part.withPointer { _ = crypto_auth_hmacsha512_update(&state, $0, UInt64(part.count)) } }
        crypto_auth_hmacsha512_final(&state, target)
      })
  }

  /// HKDF-SHA-512 (RFC 5869), up to 64 bytes of output for each label, which is all that is needed here.
  package static func hkdfSHA512(secret: SecretBytes, salt: [UInt8], label: String, count: Int) -> SecretBytes {
    precondition(count <= Int(crypto_auth_hmacsha512_BYTES))
    let key = hmacSHA512(key: SecretBytes(copying: salt), [secret])
    return hmacSHA512(key: key, [SecretBytes(copying: Array(label.utf8) + [1])]).slice(0..<count)
  }
}
