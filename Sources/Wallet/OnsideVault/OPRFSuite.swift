import Sodium

/// The cipher suite ristretto255-SHA512 of RFC 9497 (section 4.1), in its base mode or with proofs.
package struct OPRFSuite: Sendable {
  /// `OPRFV1-`, the mode and the suite's name (section 3.1).
  private let context: [UInt8]

  /// Mode 0: without proofs.
  package static let base = OPRFSuite(mode: 0)
  /// Mode 1: the server proves which key it used.
  package static let verifiable = OPRFSuite(mode: 1)

  private init(mode: UInt8) {
    context = Array("OPRFV1-".utf8) + [mode] + Array("-ristretto255-SHA512".utf8)
  }

  /// HashToGroup; nil for an input whose hash is the identity; finding one is infeasible.
  func element(hashing input: SecretBytes) -> Ristretto255.Element? {
    let name = separation("HashToGroup-")
    let tag = name + [UInt8(name.count)]
    let message = [
      SecretBytes(copying: [UInt8](repeating: 0, count: 128)), input, SecretBytes(copying: [0, 64, 0] + tag),
    ]
    let first = Hash.sha512(message)
    return Ristretto255.Element(uniform: Hash.sha512([first, SecretBytes(copying: [1] + tag)]))
  }

  /// HashToScalar, of what is no secret.
  func scalar(hashing message: [UInt8]) -> [UInt8] {
    Ristretto255.reduce(expand(message, tag: separation("HashToScalar-")))
  }

  /// DeriveKeyPair (section 3.2.1), the secret half.
  func key(seed: [UInt8], info: [UInt8]) -> [UInt8]? {
    let tag = separation("DeriveKeyPair")
    for counter in UInt8.min...UInt8.max {
      let scalar = Ristretto255.reduce(expand(seed + prefixed(info) + [counter], tag: tag))
      if scalar.contains(where: { $0 != 0 }) { return scalar }
    }
    return nil
  }

  /// The output of Finalize (section 3.3.1) for an element from which the blind is taken off.
  func output(input: SecretBytes, element: Ristretto255.Element) -> SecretBytes {
    let length = SecretBytes(copying: bigEndian(input.count))
    let rest = SecretBytes(copying: prefixed(element.bytes) + Array("Finalize".utf8))
    return Hash.sha512([length, input, rest])
  }

  /// The seed of the weights with which several elements share one proof (section 2.2.1).
  func weightSeed(publicKey: [UInt8]) -> [UInt8] {
    Hash.sha512(prefixed(publicKey) + prefixed(separation("Seed-")))
  }

  /// The weight of one pair of elements.
  func weight(seed: [UInt8], index: Int, blinded: [UInt8], evaluated: [UInt8]) -> [UInt8] {
    scalar(
      hashing: prefixed(seed) + bigEndian(index) + prefixed(blinded) + prefixed(evaluated) + Array("Composite".utf8))
  }

  /// The challenge of a proof.
  func challenge(_ elements: [[UInt8]]) -> [UInt8] {
    scalar(hashing: elements.flatMap(prefixed) + Array("Challenge".utf8))
  }

  private func separation(_ name: String) -> [UInt8] { Array(name.utf8) + context }

  /// expand_message_xmd of RFC 9380 (section 5.3.1) for 64 bytes, which is one block of SHA-512.
  private func expand(_ message: [UInt8], tag: [UInt8]) -> [UInt8] {
    let tag = tag + [UInt8(tag.count)]
    let first = Hash.sha512([UInt8](repeating: 0, count: 128) + message + [0, 64, 0] + tag)
    return Hash.sha512(first + [1] + tag)
  }

  private func prefixed(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count) + bytes }

  private func bigEndian(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xff), UInt8(number & 0xff)] }
}
