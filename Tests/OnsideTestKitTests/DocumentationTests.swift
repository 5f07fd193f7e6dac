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

  @Test("The example tests that are shown are the ones that run")
  func examples() throws {
    let source = Self.flat(try Self.text("Tests/OnsideTestKitTests/ExampleTests.swift"))
    let blocks = Self.code(in: try Self.text("Sources/OnsideTestKit/OnsideTestKit.docc/Examples.md"))
    #expect(blocks.count == 4)
    for block in blocks { #expect(source.contains(block), "not in ExampleTests.swift") }
  }

  @Test("The year that is shown is the one that runs")
  func year() throws {
    let source = Self.flat(try Self.text("Tests/OnsideTestKitTests/YearTests.swift"))
    let blocks = Self.code(in: try Self.text("Sources/OnsideTestKit/OnsideTestKit.docc/Year.md"))
    #expect(blocks.count == 2)
    for block in blocks { #expect(source.contains(block), "not in YearTests.swift") }
  }

  @Test("The class and the test of the article on winning people back are those that run")
  func winPeopleBack() throws {
    let source = Self.flat(try Self.text("Tests/OnsideTestKitTests/WinPeopleBackTests.swift"))
    let blocks = Self.code(in: try Self.text("Sources/OnsideKit/OnsideKit.docc/WinPeopleBack.md"))
    #expect(blocks.count == 2)
    for block in blocks { #expect(source.contains(block), "not in WinPeopleBackTests.swift") }
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
