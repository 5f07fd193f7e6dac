import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore

/// A provider is a folder.
@Suite("Payment providers' folders", .timeLimit(.minutes(5)))
struct ProviderFolderTests {
  private static let sources = "Store/Sources"
  /// The Swift files of the store's modules, by their paths below `Sources`.
  private static func files() throws -> [(path: String, text: String)] {
    let folder = Repository.root.appending(path: sources)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let own = paths.filter { $0.hasSuffix(".swift") && $0.firstMatch(of: /^(Onside)?Store/) != nil }
    return try own.map { path in
      (path, try String(contentsOf: folder.appending(path: path), encoding: .utf8))
    }
  }

  /// The words of a source. Regular expressions for each name took ten seconds of a debug build.
  private static func words(_ text: String) -> Set<Substring> {
    Set(
      text.utf8.split { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): false
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: false
        default: true
        }
      }.map(Substring.init))
  }

  @Test("What a provider's folder declares is named nowhere else in the store but where it is assembled")
  func names() throws {
    let files = try Self.files()
    let assembly = /OnsideStore\/(Assembly\/BuiltInProviders\.swift|Configuration\/.*)/
    let providers = Set(
      files.compactMap { file in file.path.firstMatch(of: /^(.+\/)\w+PaymentProvider\.swift$/)?.1 }
    ).subtracting(["StorePayments/"])
    #expect(providers == ["StorePayments/Sandbox/", "StoreStripe/"])
    for folder in providers {
      let inside = files.filter { $0.path.hasPrefix(folder) }
      let declared = inside.flatMap { file in
        file.text.matches(of: /(?m)^(?:public |package )?(?:struct|enum|class|actor|final class) (\w+)/).map(\.1)
      }
      #expect(!declared.isEmpty)
      for file in files where !file.path.hasPrefix(folder) && file.path.wholeMatch(of: assembly) == nil {
        let named = Self.words(file.text).intersection(declared)
        #expect(named.isEmpty, "\(file.path) names \(named) of \(folder)")
      }
    }
  }
}
