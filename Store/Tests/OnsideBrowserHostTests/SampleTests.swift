import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideCommerce
import OnsideKit
import StoreTestSupport
import Testing

/// The samples that show texts and offers; ``PageSampleTests`` has those that deliver goods.
@MainActor
@Suite(
  "Samples for web pages", .serialized, .timeLimit(.minutes(10)), .enabled(if: Chromium.path != nil, "needs Chromium"))
struct SampleTests {
  @Test("DOC-1: every sample that hears of transactions switches on the state, or hands them to one that does")
  func complete() throws {
    let samples = try [Guide.readme()] + Guide.samples("js") + Guide.samples("html")
    let hearing = samples.filter { $0.contains("onTransactionsUpdated") }
    #expect(hearing.count == 4)
    for sample in hearing { #expect(sample.contains("switch (") || sample.contains("take(one)")) }
  }

  @Test("DOC-1: the guide's first page says what was bought, what was not, and what was refunded")
  func firstPage() async throws {
    let page = try #require(try Guide.samples("html").first)
    try await visit(page) { stage, chromium in
      try await chromium.wait(until: "!document.querySelector('#buy').hidden")
      _ = try await chromium.run("await window.onside.requestLogin(); return null;")
      let outcomes = [
        (PageOutcome.declined, "Not bought."), (.cancelled, "Not bought."), (.bought, "Bought: 100 coins."),
      ]
      for (outcome, words) in outcomes {
        outcome.prepare(stage)
        let _: Bool = try await chromium.evaluate(
          "(document.querySelector('#say').textContent = '', document.querySelector('#buy').click(), true)")
        try await chromium.wait(until: "document.querySelector('#say').textContent === '\(words)'")
      }
      try await stage.refundLast()
      try await chromium.wait(until: "document.querySelector('#say').textContent === 'Refunded.'")
    }
  }

  @Test("SUB-10, SUB-12: the guide's samples win back who has left, by the store's offer and by the server's")
  func winBack() async throws {
    let euros = [CountryCode.netherlands: Money(minorUnits: 199, currency: .eur)]
    let offers = [
      Offer(id: "back", kind: .winBack, mode: .payUpFront, period: .oneMonth, prices: euros),
      Offer(id: "loyal", kind: .promotional, mode: .payUpFront, period: .oneMonth, prices: euros),
    ]
    let samples = try Guide.samples("js").filter { sample in
      ["const comeBack = ", "const enterCode = ", "const acceptFromServer = "].contains { sample.contains($0) }
    }
    #expect(samples.count == 3)
    try await Stage.visit("<!doctype html><title>Sample</title>", screens: ClosedScreens(), offering: offers) {
      stage, chromium in
      _ = try await chromium.run(
        """
        \(Self.prelude)
        globalThis.said = []; globalThis.show = (text) => { said.push(text); };
        await window.onside.requestLogin(); return null;
        """)
      for (call, count) in [("await accept();", 2), ("await acceptFromServer('pro_monthly', 'loyal', 'user 7');", 4)] {
        let pro = stage.store.subscription("pro_monthly")
        stage.store.buy("pro_monthly")
        try pro.expire()
        _ = try await chromium.run(
          """
          globalThis.fetch = async () => ({ text: async () => 'signed' });
          \(samples.joined(separator: "\n").replacing("comeBack('plans')", with: "comeBack('21480001')"))
          await enterCode();
          \(call)
          return null;
          """)
        try await NamedDeadline.wait(for: "\(count) purchases") {
          stage.store.transactions().count { $0.state == .purchased } >= count
        }
      }
      let said: String = try await chromium.evaluate("said[0]")
      #expect(said.contains(/^Come back for .*1[.,]99, then .*3[.,]99$/), "\(said)")
    }
  }

  @Test("PRD-9, SUB-3: the guide's samples offer a trial with the price that follows, and lead out before it costs")
  func trial() async throws {
    let samples = try Guide.samples("js").filter { $0.contains("const offerTrial = ") || $0.contains("const leave = ") }
    #expect(samples.count == 2)
    try await Stage.visit("<!doctype html><title>Sample</title>", screens: ClosedScreens()) { stage, chromium in
      func said(_ call: String) async throws -> [String] {
        let answer = try await chromium.run(
          """
          \(Self.prelude)
          const said = []; globalThis.show = (text) => { said.push(text); };
          \(samples.joined(separator: "\n"))
          \(call)
          return said;
          """)
        return try JSONDecoder().decode([String].self, from: Data(answer.utf8))
      }
      let yearly = try await said("await offerTrial('pro_yearly');").last
      #expect(yearly?.contains(/^.*19[.,]99 for 1 year, then .*31[.,]99 until you stop it$/) == true, "\(yearly ?? "")")
      let trial = try await said(
        """
        await window.onside.requestLogin();
        await startTrial();
        while (!(await window.onside.getTransactions()).some((one) => one.transactionState === 'purchased'));
        await leave('21480001');
        """)
      #expect(trial.first?.contains(/^Free for 1 week, then .*3[.,]99 until you stop it$/) == true, "\(trial)")
      #expect(trial.last?.contains(/^.*3[.,]99 from [0-9\/]+ on$/) == true, "\(trial)")
      #expect(stage.store.transactions().map(\.price.minorUnits) == [0])

      let plan = stage.store.subscription("pro_monthly")
      try plan.switchOffRenewal()
      let stopped = try await said("await leave('21480001'); show(`${startTrial}`);")
      #expect(stopped.first?.contains(/^Ends on [0-9\/]+, and costs nothing more$/) == true, "\(stopped)")
      #expect(stopped.last == "undefined", "nobody is offered a second trial: \(stopped)")
    }
  }

  /// The function that the samples leave to the page.
  private static let prelude = "globalThis.show = () => {};"

  private func visit(
    _ html: String = "<!doctype html><title>Sample</title>",
    _ body: @escaping @MainActor (Stage, Chromium) async throws -> Void
  ) async throws {
    try await Stage.visit(html, screens: ClosedScreens(), body)
  }
}
