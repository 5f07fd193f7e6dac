import Foundation
import OnsideWallet
import OnsideWalletImport
import Stellar
import Testing

@Suite("Items of SwiftBasicPay", .timeLimit(.minutes(5)))
struct LegacyItemTests {
  struct Vectors: Decodable {
    struct Good: Decodable {
      let item: String
      let pin: String
      let secret: String
      let `public`: String
    }
    struct Bad: Decodable {
      let why: String
      let item: String
      let pin: String
    }
    let good: [Good]
    let bad: [Bad]
  }

  private let vectors: Vectors

  init() throws {
    let file = try #require(Bundle.module.url(forResource: "Files/legacy", withExtension: "json"))
    vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  @Test("WAL-8 Every good item gives its key")
  func good() throws {
    #expect(vectors.good.count == 3)
    for vector in vectors.good {
      let pair = try LegacyItem(vector.item).keyPair(pin: PIN(vector.pin))
      #expect(pair.address == vector.public)
      #expect(pair.withSecret { Array($0) } == Array(vector.secret.utf8))
    }
  }

  @Test("WAL-8 Every bad item is refused, without a crash")
  func bad() throws {
    #expect(vectors.bad.count == 17)
    for vector in vectors.bad {
      #expect(throws: (any Error).self, "\(vector.why)") { try LegacyItem(vector.item).keyPair(pin: PIN(vector.pin)) }
    }
  }

  /// The reference signs 45 of 100 such items in, with another key.
  @Test("WAL-4 No bit flip of an old item opens another key")
  func bitFlips() throws {
    let vector = try #require(vectors.good.first)
    let parts = try vector.item.split(separator: ";").map { try #require(Data(base64Encoded: String($0))) }
    for part in 0..<2 {
      for bit in 0..<parts[part].count * 8 {
        var bad = parts
        bad[part][bit / 8] ^= 1 << (bit % 8)
        let text = bad.map { $0.base64EncodedString() }.joined(separator: ";")
        #expect(throws: SecureStorageError.invalidPin) { try LegacyItem(text).keyPair(pin: PIN(vector.pin)) }
      }
    }
  }

  @Test("WAL-8 An import needs another PIN, is made once, and opens")
  func imported() throws {
    let vector = try #require(vectors.good.last)
    let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = AuthService(
      storage: SecureStorage(
        storage: FileStorage(folder: folder.appending(path: "item")),
        secrets: FileDeviceSecrets(folder: folder.appending(path: "device")), vault: nil))
    let old = PIN(vector.pin)
    let pair = try LegacyItem(vector.item).keyPair(pin: old)
    #expect(throws: WalletError.self) { try service.signUp(importing: pair, oldPIN: old, newPIN: old) }
    let address = try service.signUp(importing: pair, oldPIN: old, newPIN: PIN("718260"))
    #expect(address == vector.public)
    #expect(throws: WalletError.self) { try service.signUp(importing: pair, oldPIN: old, newPIN: PIN("718269")) }
    let secondAddress = try service.signIn(pin: "718260")
    #expect(secondAddress == vector.public)
  }
}
