import Foundation
import Sodium
import Testing

@Suite("Decoders", .timeLimit(.minutes(5)))
struct DecoderTests {
  /// The inputs that `script/fuzz` found to reach different code.
  @Test("WAL-9: bear every input that fuzzing kept")
  func corpus() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/decoders.txt")
    let inputs = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { Base64.decode($0) }
    #expect(inputs.count > 50)
    for input in inputs { #expect(DecoderInput.fault(input) == nil) }
  }
}
