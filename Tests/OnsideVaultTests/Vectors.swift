import Foundation
import OnsideAPI
import Testing

/// RFC 9497's vectors for ristretto255-SHA512; `Files/oprf.json` names their source.
struct Vectors: Decodable {
  struct Suite: Decodable {
    let mode: Int
    let seed: String
    let keyInfo: String
    let skSm: String
    let pkSm: String?
    let vectors: [Vector]
  }
  struct Vector: Decodable {
    let Input: String
    let Blind: String
    let BlindedElement: String
    let EvaluationElement: String
    let Output: String
    let Proof: Proof?
  }
  struct Proof: Decodable {
    let proof: String
    let r: String
  }
  let suites: [Suite]

  static func load() throws -> Vectors {
    let file = try #require(Bundle.module.url(forResource: "oprf", withExtension: "json", subdirectory: "Files"))
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }
}

/// Bytes of lower-case hexadecimal digits, as the vectors write them.
func bytes(_ digits: some StringProtocol) -> [UInt8] {
  if let bytes = Hexadecimal.decode(digits) { return bytes }
  Issue.record("Expected lower-case hexadecimal digits, got \(digits).")
  return []
}

func hex(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }
