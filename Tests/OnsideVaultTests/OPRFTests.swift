import Foundation
import OnsideVault
import Sodium
import Testing

@Suite("The oblivious function of RFC 9497", .timeLimit(.minutes(5)))
struct OPRFTests {
  @Test("Keys, blinded elements, evaluations, proofs and outputs equal the RFC's", arguments: [0, 1])
  func vectors(mode: Int) throws {
    let suite = try #require(try Vectors.load().suites.first { $0.mode == mode })
    let functions = mode == 0 ? OPRFSuite.base : .verifiable
    let key = try #require(VaultKey(seed: bytes(suite.seed), info: bytes(suite.keyInfo), suite: functions))
    #expect(hex(key.bytes) == suite.skSm)
    let publicKey = try #require(key.publicKey)
    if let expected = suite.pkSm { #expect(hex(publicKey) == expected) }
    #expect(!suite.vectors.isEmpty)
    for vector in suite.vectors { try check(vector, key: key, publicKey: publicKey, suite: functions) }
  }

  private func check(_ vector: Vectors.Vector, key: VaultKey, publicKey: [UInt8], suite: OPRFSuite) throws {
    let blinds = vector.Blind.split(separator: ",").map { bytes($0) }
    let inputs = try zip(vector.Input.split(separator: ","), blinds).map { input, blind in
      let scalar = try #require(Ristretto255.Scalar(SecretBytes(copying: blind)))
      return try #require(BlindedInput(SecretBytes(copying: bytes(input)), suite: suite, blind: scalar))
    }
    let blinded = inputs.map(\.element)
    #expect(blinded.map(hex).joined(separator: ",") == vector.BlindedElement)
    let evaluated = try blinded.map { try key.multiply($0) }
    #expect(evaluated.map(hex).joined(separator: ",") == vector.EvaluationElement)
    if let expected = vector.Proof {
      let r = RandomBytes { $0.copyBytes(from: bytes(expected.r) + [UInt8](repeating: 0, count: 32)) }
      let (elements, proof) = try key.evaluate(blinded, publicKey: publicKey, random: r)
      #expect(elements == evaluated)
      #expect(hex(proof) == expected.proof)
      #expect(OPRFEvaluation.isProved(proof, blinded: blinded, evaluated: evaluated, publicKey: publicKey))
    }
    let outputs = try zip(inputs, evaluated).map { try $0.finalizeUnproved($1).withBytes(Array.init) }
    #expect(outputs.map(hex).joined(separator: ",") == vector.Output)
  }

  @Test("WAL-5 The output depends on the input and the key alone, and a proved answer is taken")
  func output() throws {
    func output(_ pin: String, seed: UInt8 = 7) throws -> [UInt8] {
      let key = try #require(VaultKey(seed: Array(repeating: seed, count: 32)))
      let publicKey = try #require(key.publicKey)
      let input = try #require(BlindedInput(SecretBytes(copying: Array(pin.utf8))))
      let answer = try key.evaluate(input.element, publicKey: publicKey)
      return try input.finalize(answer, publicKey: publicKey).withBytes(Array.init)
    }
    let actualOutput = try output("1234")
    let expected = try output("1234")
    #expect(actualOutput == expected)
    let secondOutput = try output("1234")
    let secondExpected = try output("1235")
    #expect(secondOutput != secondExpected)
    let thirdOutput = try output("1234")
    let thirdExpected = try output("1234", seed: 8)
    #expect(thirdOutput != thirdExpected)
  }

  @Test("WAL-4 An answer of another key, or with any bit of it changed, is not taken")
  func forgedAnswers() throws {
    let key = try #require(VaultKey(seed: Array(repeating: 7, count: 32)))
    let other = try #require(VaultKey(seed: Array(repeating: 8, count: 32)))
    let (pinned, its) = (try #require(key.publicKey), try #require(other.publicKey))
    let input = try #require(BlindedInput(SecretBytes(copying: [1, 2, 3])))
    #expect(throws: OPRFError.notProved) {
      try input.finalize(try other.evaluate(input.element, publicKey: its), publicKey: pinned)
    }
    // A vault that claims the pinned key and uses another.
    #expect(throws: OPRFError.notProved) {
      try input.finalize(try other.evaluate(input.element, publicKey: pinned), publicKey: pinned)
    }
    let right = try key.evaluate(input.element, publicKey: pinned)
    _ = try input.finalize(right, publicKey: pinned)
    for bit in 0..<(96 * 8) {
      var all = right.element + right.proof
      all[bit / 8] ^= 1 << (bit % 8)
      let changed = OPRFEvaluation(element: Array(all[..<32]), proof: Array(all[32...]))
      #expect(throws: OPRFError.self, "bit \(bit)") { try input.finalize(changed, publicKey: pinned) }
    }
  }

  @Test("The identity, what is not canonical and what is no element are refused on both sides")
  func notElements() throws {
    let key = try #require(VaultKey(seed: Array(repeating: 7, count: 32)))
    let publicKey = try #require(key.publicKey)
    let input = try #require(BlindedInput(SecretBytes(copying: [1])))
    for encoding in Self.notElements {
      #expect(!VaultKey.isElement(encoding))
      #expect(throws: OPRFError.notAnElement) { try key.evaluate(encoding, publicKey: publicKey) }
      #expect(throws: OPRFError.notAnElement) { try input.finalizeUnproved(encoding) }
    }
    #expect(VaultKey.isElement(input.element))
  }

  /// The identity; a field element that is not reduced; a negative one; the three kinds of RFC 9496, appendix A.3,
  /// that are off the curve; and wrong lengths.
  static let notElements: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    bytes("00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
    bytes("0100000000000000000000000000000000000000000000000000000000000000"),
    bytes("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371"),
    bytes("3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e"),
    bytes("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    [], [UInt8](repeating: 0, count: 31),
  ]

  @Test("Inputs of 0 and of 65,535 bytes are taken, and none of 65,536")
  func lengths() {
    #expect(BlindedInput(SecretBytes(copying: [])) != nil)
    #expect(BlindedInput(SecretBytes(count: 65_535) { _ in }) != nil)
    #expect(BlindedInput(SecretBytes(count: 65_536) { _ in }) == nil)
  }

  @Test("A key does not print")
  func redacted() throws {
    let key = try #require(VaultKey(seed: Array(repeating: 7, count: 32)))
    #expect("\(key)" == "redacted")
    #expect(!String(reflecting: key).contains("\(key.bytes[0]), \(key.bytes[1])"))
  }
}
