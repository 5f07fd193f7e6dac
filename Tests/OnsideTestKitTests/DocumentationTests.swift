import Foundation
import Testing

@Suite("The documentation of the test kit", .timeLimit(.minutes(5)))
struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The Swift code of a page, block by block, without indentation.
  private static func code(in page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().map { flat(String($0.prefix(upTo: $0.end(of: "```")))) }
  }

  fileprivate static func flat(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  @Test(
    "What an article shows is what runs, word for word",
    arguments: [
      ("OnsideTestKit/OnsideTestKit.docc/Examples.md", "ExampleTests.swift", 4),
      ("OnsideTestKit/OnsideTestKit.docc/Year.md", "YearTests.swift", 2),
      ("OnsideKit/OnsideKit.docc/WinPeopleBack.md", "WinPeopleBackTests.swift", 2),
      ("OnsideKit/OnsideKit.docc/Entitlements.md", "EntitlementsTests.swift", 3),
      ("OnsideKit/OnsideKit.docc/OfferATrial.md", "OfferATrialTests.swift", 3),
      ("OnsideKit/OnsideKit.docc/SellPlans.md", "SellPlansTests.swift", 1),
    ])
  func article(page: String, tests: String, samples: Int) throws {
    let source = Self.flat(try Self.text("Tests/OnsideTestKitTests/\(tests)"))
    let blocks = Self.code(in: try Self.text("Sources/\(page)"))
    #expect(blocks.count == samples)
    for block in blocks { #expect(source.contains(block), "not in \(tests): \(block)") }
  }

  @Test("The example of the README is one that runs")
  func readme() throws {
    let source = Self.flat(try Self.text("Tests/OnsideTestKitTests/ReadmeTests.swift"))
    let section = try #require(try Self.text("README.md").components(separatedBy: "## Test an app\n").last)
    let blocks = Self.code(in: section.components(separatedBy: "\n## ")[0])
    #expect(blocks.contains { source.contains($0) })
  }
}

extension String {
  fileprivate func end(of text: String) -> String.Index { range(of: text)?.lowerBound ?? endIndex }
}
