import CSodium

extension Ristretto255 {
  /// 64 bytes as a number modulo the group's order, 32 bytes: for numbers that are no secret.
  package static func reduce(_ wide: [UInt8]) -> [UInt8] {
    precondition(wide.count == 64)
    var scalar = [UInt8](repeating: 0, count: length)
    crypto_core_ristretto255_scalar_reduce(&scalar, wide)
    return scalar
  }

  /// A scalar times the generator, for a scalar kept in the open; nil for zero.
  package static func timesGenerator(_ scalar: [UInt8]) -> [UInt8]? {
    precondition(scalar.count == length)
    var product = [UInt8](repeating: 0, count: length)
    return crypto_scalarmult_ristretto255_base(&product, scalar) == 0 ? product : nil
  }

  /// The two numbers of a Chaum-Pedersen proof that `key` multiplied the generator as it multiplied `element`: with a
  /// fresh random r, the challenge over r times the generator and r times the element, and r − challenge · key. Nil in
  /// a case that does not happen by chance: r is zero.
  ///
  /// The secrets of the proof stay on the stack and are overwritten; locked memory would cost more than the proof.
  package static func proveEquality(
    key: [UInt8], of element: Element, random: RandomBytes,
    challenge: (_ generatorTimesR: [UInt8], _ elementTimesR: [UInt8]) -> [UInt8]
  ) -> (challenge: [UInt8], response: [UInt8])? {
    precondition(key.count == length)
    return withUnsafeTemporaryAllocation(byteCount: 64 + 2 * length, alignment: 16) { room in
      defer { sodium_memzero(room.baseAddress, room.count) }
      random.fill(UnsafeMutableRawBufferPointer(rebasing: room[..<64]))
      guard let wide = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
      let (r, product) = (wide + 64, wide + 64 + length)
      crypto_core_ristretto255_scalar_reduce(r, wide)
      var (one, two) = ([UInt8](repeating: 0, count: length), [UInt8](repeating: 0, count: length))
      guard crypto_scalarmult_ristretto255_base(&one, r) == 0,
        crypto_scalarmult_ristretto255(&two, r, element.bytes) == 0
      else { return nil }
      let challenge = challenge(one, two)
      var response = [UInt8](repeating: 0, count: length)
      crypto_core_ristretto255_scalar_mul(product, challenge, key)
      crypto_core_ristretto255_scalar_sub(&response, r, product)
      return (challenge, response)
    }
  }
}
