import CSodium

/// The group ristretto255 (RFC 9496): elements of 32 bytes, added and multiplied by scalars.
package enum Ristretto255 {
  package static let length = Int(crypto_core_ristretto255_BYTES)

  /// A valid element other than the identity, in its one encoding.
  package struct Element: Sendable, Hashable {
    package let bytes: [UInt8]

    /// Nil for what is no element's encoding, and for the identity.
    package init?(_ bytes: [UInt8]) {
      guard bytes.count == Ristretto255.length, Element.isCanonical(bytes),
        crypto_core_ristretto255_is_valid_point(bytes) == 1, bytes.contains(where: { $0 != 0 })
      else { return nil }
      self.bytes = bytes
    }

    /// 32 bytes that are multiplied before anything else: multiplying refuses what is no element, and looking at them
    /// takes a tenth of its time. Nil for another count.
    package init?(toMultiply bytes: [UInt8]) {
      guard bytes.count == Ristretto255.length, Element.isCanonical(bytes) else { return nil }
      self.bytes = bytes
    }

    /// Whether the bytes are a number below 2^255 - 19, little-endian, and even (RFC 9496, section 4.3.1): of several
    /// texts for one element only one counts. libsodium before 1.0.19 does not look at the top bit.
    private static func isCanonical(_ bytes: [UInt8]) -> Bool {
      guard bytes[0] & 1 == 0, bytes[31] & 0x80 == 0 else { return false }
      return bytes[31] != 0x7f || bytes[0] < 0xed || bytes[1...30].contains { $0 != 0xff }
    }

    /// From 64 uniform bytes (RFC 9496, section 4.3.4).
    package init?(uniform hash: SecretBytes) {
      guard hash.count == Int(crypto_core_ristretto255_HASHBYTES) else { return nil }
      var bytes = [UInt8](repeating: 0, count: Ristretto255.length)
      hash.withPointer { _ = crypto_core_ristretto255_from_hash(&bytes, $0) }
      self.init(bytes)
    }

    /// Nil if the sum is the identity.
    package func adding(_ other: Element) -> Element? {
      var sum = [UInt8](repeating: 0, count: Ristretto255.length)
      guard crypto_core_ristretto255_add(&sum, bytes, other.bytes) == 0 else { return nil }
      return Element(sum)
    }

    /// Nil if the scalar is zero, or if this is no element after all.
    package func multiplied(by scalar: Scalar) -> Element? {
      var product = [UInt8](repeating: 0, count: Ristretto255.length)
      let code = scalar.bytes.withPointer { crypto_scalarmult_ristretto255(&product, $0, bytes) }
      return code == 0 ? Element(trusted: product) : nil
    }

    /// By a scalar that is no secret, or that its owner keeps in the open anyway: 32 bytes, reduced.
    package func multiplied(by scalar: [UInt8]) -> Element? {
      precondition(scalar.count == Ristretto255.length)
      var product = [UInt8](repeating: 0, count: Ristretto255.length)
      return crypto_scalarmult_ristretto255(&product, scalar, bytes) == 0 ? Element(trusted: product) : nil
    }

    /// For what libsodium has just computed: a second look at it would cost as much as the sum.
    private init(trusted bytes: [UInt8]) { self.bytes = bytes }
  }

  /// A number modulo the group's order, 32 bytes, little-endian.
  package struct Scalar: Sendable {
    package let bytes: SecretBytes

    /// Nil for what is not reduced, and for zero.
    package init?(_ bytes: SecretBytes) {
      guard bytes.count == Ristretto255.length else { return nil }
      let padded = SecretBytes(joining: [bytes], count: 64)
      let zero = SecretBytes(joining: [], count: Ristretto255.length)
      guard Scalar(reducing: padded).bytes.isEqual(to: bytes), !bytes.isEqual(to: zero) else { return nil }
      self.bytes = bytes
    }

    /// 64 bytes, reduced.
    package init(reducing wide: SecretBytes) {
      precondition(wide.count == 64)
      bytes = SecretBytes(
        count: Ristretto255.length,
        filledBy: { target in wide.withPointer { crypto_core_ristretto255_scalar_reduce(target, $0) } })
    }

    /// A random one.
    package init(random source: RandomBytes = .system) { self.init(reducing: SecretBytes(random: 64, from: source)) }

    /// Nil for zero, which has none.
    package var inverse: Scalar? {
      var ok = false
      let inverse = SecretBytes(
        count: Ristretto255.length,
        filledBy: { target in ok = bytes.withPointer { crypto_core_ristretto255_scalar_invert(target, $0) == 0 } })
      return ok ? Scalar(trusted: inverse) : nil
    }

    package func multiplied(by other: Scalar) -> Scalar { combined(with: other, crypto_core_ristretto255_scalar_mul) }
    package func adding(_ other: Scalar) -> Scalar { combined(with: other, crypto_core_ristretto255_scalar_add) }
    package func subtracting(_ other: Scalar) -> Scalar { combined(with: other, crypto_core_ristretto255_scalar_sub) }

    /// The scalar times the generator; nil for zero.
    package var timesGenerator: Element? {
      var product = [UInt8](repeating: 0, count: Ristretto255.length)
      let code = bytes.withPointer { crypto_scalarmult_ristretto255_base(&product, $0) }
      return code == 0 ? Element(product) : nil
    }

    private init(trusted bytes: SecretBytes) { self.bytes = bytes }

    private typealias Operation = (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void

    private func combined(with other: Scalar, _ operation: Operation) -> Scalar {
      Scalar(
        trusted: SecretBytes(
          count: Ristretto255.length,
          filledBy: { target in
            bytes.withPointer { one in other.bytes.withPointer { two in operation(target, one, two) } }
          }))
    }
  }
}
