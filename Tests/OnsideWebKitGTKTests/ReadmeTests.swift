import Foundation
import OnsideKit
import OnsideWebKitGTK
import Testing

private func openShop(_ page: URL) async throws {
  // The README's lines begin here; the test compares.
  let window = try await OnsideWebWindow.open("Shop")
  try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: ["https://shop.example"])
  await window.show(page)
  // They end here.
}

@Suite("README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @Test("the README's lines for web views are compiled as they stand there")
  func webViews() throws {
    let here = URL(filePath: #filePath)
    let readme = here.deletingLastPathComponent().appending(path: "../../README.md").standardized
    let text = try String(contentsOf: readme, encoding: .utf8)
    let block = try #require(text.firstMatch(of: /(?s)```swift\nimport OnsideWebKitGTK\n\n(.*?)```/)?.1)
    let source = try String(contentsOf: here, encoding: .utf8)
    let compiled = try #require(source.firstMatch(of: /(?s)begin here[^\n]*\n(.*?)  \/\/ They end here/)?.1)
    #expect(block == compiled.replacing("\n  ", with: "\n").dropFirst(2))
  }
}
