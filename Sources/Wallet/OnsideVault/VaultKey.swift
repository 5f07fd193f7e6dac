package import Sodium

/// The vault's secret key of one enrolment. It never prints.
public struct VaultKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// How many bytes a key has, secret or public.
  public static let length = 32

  /// The key, for the one place that keeps it: 32 bytes, a number modulo the order of ristretto255.
  public let bytes: [UInt8]

  /// Always `redacted`.
  public var description: String { "redacted" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// A key as it was kept; nil for another length.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// A new key from 32 unpredictable bytes (RFC 9497, section 3.2.1); nil for another count.
  public init?(seed: [UInt8]) { self.init(seed: seed, info: Array("onside-vault-1".utf8), suite: .verifiable) }

  package init?(seed: [UInt8], info: [UInt8], suite: OPRFSuite) {
    guard seed.count == 32, let key = suite.key(seed: seed, info: info) else { return nil }
    bytes = key
  }

  /// The public half, 32 bytes, which wallets pin; nil for a key that is no number below the order.
  public var publicKey: [UInt8]? { Ristretto255.timesGenerator(bytes) }

  /// Multiplies a blinded element by the key and proves it (RFC 9497, BlindEvaluate in mode 1). `publicKey` is this
  /// key's own, kept beside it so that it need not be computed again.
  public func evaluate(_ blinded: [UInt8], publicKey: [UInt8]) throws(OPRFError) -> OPRFEvaluation {
    let (elements, proof) = try evaluate([blinded], publicKey: publicKey, random: .system)
    return OPRFEvaluation(element: elements[0], proof: proof)
  }

  /// Several elements with one proof; mode 0 leaves the proof away.
  package func evaluate(
    _ blinded: [[UInt8]], publicKey: [UInt8], random: RandomBytes
  ) throws(OPRFError) -> (elements: [[UInt8]], proof: [UInt8]) {
    let suite = OPRFSuite.verifiable
    let blinded = try blinded.map { bytes throws(OPRFError) in try element(bytes) }
    let evaluated = try blinded.map { element throws(OPRFError) in try multiply(element) }
    guard
      let (m, z) = OPRFEvaluation.composites(
        suite, blinded: blinded, evaluated: evaluated, publicKey: publicKey, secretKey: bytes),
      let (challenge, response) = Ristretto255.proveEquality(
        key: bytes, of: m, random: random,
        challenge: { one, two in suite.challenge([publicKey, m.bytes, z.bytes, one, two]) })
    else { throw OPRFError.notAnElement }
    return (evaluated.map(\.bytes), challenge + response)
  }

  /// Mode 0: the product alone.
  package func multiply(_ blinded: [UInt8]) throws(OPRFError) -> [UInt8] { try multiply(try element(blinded)).bytes }

  private func multiply(_ element: Ristretto255.Element) throws(OPRFError) -> Ristretto255.Element {
    guard let product = element.multiplied(by: bytes) else { throw OPRFError.notAnElement }
    return product
  }

  private func element(_ bytes: [UInt8]) throws(OPRFError) -> Ristretto255.Element {
    guard let element = Ristretto255.Element(toMultiply: bytes) else { throw OPRFError.notAnElement }
    return element
  }

  /// Whether these bytes are an element that ``evaluate(_:publicKey:)`` takes.
  public static func isElement(_ bytes: [UInt8]) -> Bool { Ristretto255.Element(bytes) != nil }
}
