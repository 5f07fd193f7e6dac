import DeterministicRandom
import Foundation
import OnsideCommerce
import Testing

/// The example file with damage: every outcome is fine but a crash, or an error without a place.
@Suite(.timeLimit(.minutes(5))) struct DamagedFileTests {
  private func file() throws -> Data {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples")
    return try Data(contentsOf: root.appending(path: "Shop.storekit"))
  }

  @Test("INI-3: a file cut at any 61st byte is refused at the line where it ends")
  func cut() throws {
    let whole = try file()
    for length in stride(from: 0, to: whole.count - 2, by: 61) {
      let error = #expect(throws: StoreKitFileError.self) {
        try StoreKitConfiguration.decode(whole.prefix(length), path: "cut")
      }
      let lines = whole.prefix(length).count { $0 == UInt8(ascii: "\n") } + 1
      #expect(error?.line == lines)
    }
  }

  @Test("LOC-1: random damage gives a configuration or an error, never a crash", arguments: 1...40)
  func damaged(seed: UInt64) throws {
    let whole = try file()
    var random = SeededRandom(seed: seed)
    var bytes = [UInt8](whole)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let interesting: [UInt8] = Array("{}[]\",:\\u0-.eE \n".utf8) + [0, 0x7F, 0xC3, 0xFF]
      bytes[Int.random(in: bytes.indices, using: &random)] = interesting.randomElement(using: &random) ?? 0
    }
    do {
      let configuration = try StoreKitConfiguration.decode(Data(bytes), path: "damaged", skippingBroken: true)
      #expect(configuration.products.count <= 5)
      _ = configuration.catalogue()
    } catch {
      #expect(error.description.hasPrefix("damaged:"))
    }
  }
}
