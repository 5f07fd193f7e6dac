import CSodium

/// The authenticated box XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
package enum XChaCha20Poly1305 {
  package static let keyLength = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
  package static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  package static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

  /// The message in a box, its tag at the end. A nonce serves once for a key.
  package static func seal(_ message: SecretBytes, key: SecretBytes, nonce: [UInt8], header: [UInt8]) -> [UInt8] {
    precondition(key.count == keyLength && nonce.count == nonceLength)
    var box = [UInt8](repeating: 0, count: message.count + tagLength)
    message.withPointer { start in
      key.withPointer { key in
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          &box, nil, start, UInt64(message.count), header, UInt64(header.count), nil, nonce, key)
      }
    }
    return box
  }

  /// What the box holds; nil if anything of box, header, nonce or key is not what it was.
  package static func open(_ box: [UInt8], key: SecretBytes, nonce: [UInt8], header: [UInt8]) -> SecretBytes? {
    guard key.count == keyLength, nonce.count == nonceLength, box.count >= tagLength else { return nil }
    return try? SecretBytes(
      count: box.count - tagLength,
      filledBy: { target in
        let code = key.withPointer {
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            target, nil, nil, box, UInt64(box.count), header, UInt64(header.count), nonce, $0)
        }
        if code != 0 { throw Forged() }
      })
  }

  private struct Forged: Error {}
}
