import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit
import Testing

@MainActor
@Suite(
  "The guide for web developers", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Chromium.path != nil, "needs Chromium"))
struct GuideTests {
  @Test("JSB-2: the first page of the guide sells coins")
  func firstPage() async throws {
    let page = try #require(try Guide.samples("html").first)
    try await Stage.visit(page) { stage, chromium in
      try await chromium.wait(until: "!document.querySelector('#buy').hidden")
      let text: String = try await chromium.evaluate("document.querySelector('#buy').textContent")
      #expect(text.hasPrefix("100 coins for €"))
      let _: Bool = try await chromium.evaluate("document.querySelector('#buy').click(), true")
      try await chromium.wait(until: "document.querySelector('#say').textContent === 'Bought: 100 coins.'")
      try await stage.oneFinished()
    }
  }

  @Test("JSB-2: every sample of the guide runs, in the order of the guide")
  func samples() async throws {
    let script = try Guide.script()
    try await Stage.visit("<!doctype html><title>Guide</title>") { stage, chromium in
      let answer = try await chromium.run("\(script)\nreturn { shown, coins: await coins() };")
      struct Answer: Decodable {
        var shown: [String]
        var coins: Int
      }
      let said = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
      #expect(said.shown.contains("Lumen Pro, monthly: €3.99 per month"))
      #expect(said.coins == 100)
      #expect(said.shown.contains("Logged in, NL"))
      #expect(said.shown.contains("Restored"))
      #expect(said.shown.contains("Call loadProducts first."))
      try await stage.oneFinished()
    }
  }

  @Test("JSB-8: a page whose policy forbids the connection is told what its policy lacks")
  func policy() async throws {
    let policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'"
    let page = "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\"><title>Shop</title>"
    try await Stage.visit(page) { stage, chromium in
      let answer = try await chromium.run(
        "return onside.getTransactions().catch(({ code, message }) => `${code}: ${message}`)")
      #expect(answer.contains("bridgeDetached: "))
      #expect(answer.contains("add \(stage.base) to its connect-src"), "\(answer)")
    }
  }

  @Test("JSB-1: the guide names every function, callback and error code")
  func complete() throws {
    let text = try String(contentsOf: Guide.file, encoding: .utf8)
    let declarations = BridgeScript.typeDeclarations
    let functions = declarations.matches(of: /\n +([a-zA-Z]+)\??: \([^(]/).map { String($0.output.1) }
    let callbacks = declarations.matches(of: /\n +([a-zA-Z]+)\?: \(\(/).map { String($0.output.1) }
    let errors = declarations.matches(of: /\{ ([a-zA-Z]+): \{\} \}/).map { String($0.output.1) }
    #expect(functions.count >= 18 && callbacks.count >= 8 && errors.count > 10)
    for name in functions + callbacks + errors { #expect(text.contains(name), "\(name)") }
  }
}
