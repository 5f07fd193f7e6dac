import CSodium

extension Hash {
  /// PBKDF2-HMAC-SHA-512 (RFC 8018): one block, which is 64 bytes.
  package static func pbkdf2SHA512(password: SecretBytes, salt: SecretBytes, rounds: Int) -> SecretBytes {
    SecretBytes(
      count: Int(crypto_auth_hmacsha512_BYTES),
      filledBy: { target in
        var keyed = crypto_auth_hmacsha512_state()
        defer { sodium_memzero(&keyed, MemoryLayout.size(ofValue: keyed)) }
        password.withPointer { _ = crypto_auth_hmacsha512_init(&keyed, $0, password.count) }
        let link = SecretBytes(joining: [salt, SecretBytes(copying: [0, 0, 0, 1])])
        _ = SecretBytes(
          count: Int(crypto_auth_hmacsha512_BYTES),
          filledBy: { block in
            link.withPointer { mac(of: $0, count: link.count, keyed, into: block) }
            for round in 0..<rounds {
              if round > 0 { mac(of: block, count: Int(crypto_auth_hmacsha512_BYTES), keyed, into: block) }
              for index in 0..<Int(crypto_auth_hmacsha512_BYTES) { target[index] ^= block[index] }
            }
          })
      })
  }

  private static func mac(
    of message: UnsafePointer<UInt8>, count: Int, _ keyed: crypto_auth_hmacsha512_state,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    var state = keyed
    defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
    crypto_auth_hmacsha512_update(&state, message, UInt64(count))
    crypto_auth_hmacsha512_final(&state, target)
  }
}
