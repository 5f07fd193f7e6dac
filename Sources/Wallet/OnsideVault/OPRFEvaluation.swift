import Sodium

/// What the vault answers to a blinded element: the element times its key, and the proof of it (RFC 9497, section 2.2).
public struct OPRFEvaluation: Hashable, Sendable {
  /// How many bytes a proof has.
  public static let proofLength = 64

  /// The evaluated element, 32 bytes.
  public let element: [UInt8]
  /// The proof, 64 bytes.
  public let proof: [UInt8]

  /// An answer as it came; nothing is looked at yet.
  public init(element: [UInt8], proof: [UInt8]) {
    self.element = element
    self.proof = proof
  }

  /// Whether the proof is right for this blinded element and public key.
  public func isProved(of blinded: [UInt8], by publicKey: [UInt8]) -> Bool {
    Self.isProved(proof, blinded: [blinded], evaluated: [element], publicKey: publicKey)
  }

  /// VerifyProof (section 2.2.2), for several elements that share one proof.
  package static func isProved(
    _ proof: [UInt8], blinded: [[UInt8]], evaluated: [[UInt8]], publicKey: [UInt8]
  ) -> Bool {
    let suite = OPRFSuite.verifiable
    guard proof.count == proofLength, let key = Ristretto255.Element(publicKey),
      let challenge = Ristretto255.Scalar(SecretBytes(copying: proof[..<32])),
      let response = Ristretto255.Scalar(SecretBytes(copying: proof[32...])),
      let blinded = elements(blinded), let evaluated = elements(evaluated),
      let (m, z) = composites(suite, blinded: blinded, evaluated: evaluated, publicKey: publicKey, secretKey: nil),
      let keyPart = key.multiplied(by: challenge), let zPart = z.multiplied(by: challenge),
      let one = response.timesGenerator?.adding(keyPart), let two = m.multiplied(by: response)?.adding(zPart)
    else { return false }
    let expected = suite.challenge([publicKey, m.bytes, z.bytes, one.bytes, two.bytes])
    return Sodium.isEqual(expected, Array(proof[..<32]))
  }

  /// ComputeComposites, and ComputeCompositesFast where the secret key is known (section 2.2.1).
  static func composites(
    _ suite: OPRFSuite, blinded: [Ristretto255.Element], evaluated: [Ristretto255.Element], publicKey: [UInt8],
    secretKey: [UInt8]?
  ) -> (m: Ristretto255.Element, z: Ristretto255.Element)? {
    guard blinded.count == evaluated.count, blinded.count <= Int(UInt16.max) else { return nil }
    let seed = suite.weightSeed(publicKey: publicKey)
    var (m, z): (Ristretto255.Element?, Ristretto255.Element?)
    for (index, pair) in zip(blinded, evaluated).enumerated() {
      let weight = suite.weight(seed: seed, index: index, blinded: pair.0.bytes, evaluated: pair.1.bytes)
      guard let sum = add(pair.0, times: weight, to: m) else { return nil }
      m = sum
      guard secretKey == nil else { continue }
      guard let sum = add(pair.1, times: weight, to: z) else { return nil }
      z = sum
    }
    if let secretKey { z = m?.multiplied(by: secretKey) }
    guard let m, let z else { return nil }
    return (m, z)
  }

  /// Nil when one of them is none.
  private static func elements(_ bytes: [[UInt8]]) -> [Ristretto255.Element]? {
    let elements = bytes.compactMap { Ristretto255.Element($0) }
    return elements.count == bytes.count ? elements : nil
  }

  private static func add(
    _ element: Ristretto255.Element, times weight: [UInt8], to sum: Ristretto255.Element?
  ) -> Ristretto255.Element? {
    guard let product = element.multiplied(by: weight) else { return nil }
    guard let sum else { return product }
    return sum.adding(product)
  }
}
