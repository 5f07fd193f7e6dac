package import Sodium

/// The wallet's half of the function (RFC 9497, section 3.3): an input, hidden by a random factor from the vault that
/// evaluates it.
public struct BlindedInput: Sendable {
  private let suite: OPRFSuite
  private let input: SecretBytes
  private let blind: Ristretto255.Scalar
  /// What the vault gets to see: 32 bytes that say nothing about the input.
  public let element: [UInt8]

  /// Hides an input of at most 65,535 bytes; nil for a longer one.
  package init?(
    _ input: SecretBytes, suite: OPRFSuite = .verifiable, blind: Ristretto255.Scalar = Ristretto255.Scalar()
  ) {
    guard input.count <= Int(UInt16.max), let hashed = suite.element(hashing: input),
      let element = hashed.multiplied(by: blind)
    else { return nil }
    self.suite = suite
    self.input = input
    self.blind = blind
    self.element = element.bytes
  }

  /// Takes the random factor off again: 64 bytes that depend on the input and the vault's key, and on nothing else.
  ///
  /// - Parameter publicKey: the key that was pinned when the wallet enrolled.
  package func finalize(_ answer: OPRFEvaluation, publicKey: [UInt8]) throws(OPRFError) -> SecretBytes {
    guard answer.isProved(of: element, by: publicKey) else { throw OPRFError.notProved }
    return try finalizeUnproved(answer.element)
  }

  /// Hides an input that is no secret, or whose owner has no locked memory to keep it in; nil above 65,535 bytes.
  public init?(_ input: [UInt8]) { self.init(SecretBytes(copying: input)) }

  /// The 64 bytes of the function, for such an input.
  public func output(of answer: OPRFEvaluation, publicKey: [UInt8]) throws(OPRFError) -> [UInt8] {
    try finalize(answer, publicKey: publicKey).withBytes(Array.init)
  }

  /// The same for mode 0, where nothing is proved.
  package func finalizeUnproved(_ evaluated: [UInt8]) throws(OPRFError) -> SecretBytes {
    guard let element = Ristretto255.Element(evaluated), let inverse = blind.inverse,
      let unblinded = element.multiplied(by: inverse)
    else { throw OPRFError.notAnElement }
    return suite.output(input: input, element: unblinded)
  }
}

/// What is wrong with what came from the other side.
public struct OPRFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected and what came.
  public let description: String

  /// The bytes are not the one encoding of an element of ristretto255, or they are the identity.
  public static let notAnElement = OPRFError(
    description: "expected the 32 bytes of an element of ristretto255 other than the identity")
  /// Another key than the pinned one was used.
  public static let notProved = OPRFError(
    description: "expected a proof that the vault used the key of this enrolment; it is not right")
}
