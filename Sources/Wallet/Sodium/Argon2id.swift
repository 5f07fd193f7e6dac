import CSodium

/// Argon2id (RFC 9106) with one lane, as libsodium has it.
package struct Argon2id: Sendable, Hashable {
  /// Passes over the memory.
  package let passes: Int
  /// Memory in KiB.
  package let memory: Int

  package init(passes: Int, memory: Int) {
    self.passes = passes
    self.memory = memory
  }

  package static let saltLength = Int(crypto_pwhash_SALTBYTES)

  /// Derives `count` bytes from a password of any length; nil if the machine has not that much memory, or the settings
  /// are below libsodium's least.
  package func derive(_ password: SecretBytes, salt: [UInt8], count: Int) -> SecretBytes? {
    guard salt.count == Self.saltLength else { return nil }
    return try? SecretBytes(
      count: count,
      filledBy: { target in
        let code = password.withPointer { start in
          start.withMemoryRebound(to: CChar.self, capacity: max(password.count, 1)) {
            crypto_pwhash(
              target, UInt64(count), $0, UInt64(password.count), salt, UInt64(passes), memory * 1024,
              crypto_pwhash_ALG_ARGON2ID13)
          }
        }
        if code != 0 { throw Refused() }
      })
  }

  private struct Refused: Error {}
}
