import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideCommerce
import OnsideKit
import StoreTestSupport
import Testing

/// The samples that deliver goods, with everything that can become of a purchase.
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

  @Test("DOC-1: the README's sample delivers only what was bought or restored, and takes back what was refunded")
  func readme() async throws {
    let sample = try Guide.readme()
    try await visit { try await play(sample, buys: "remove_ads", stage: $0, in: $1) }
  }

  @Test("DOC-1: the guide's sample does so, too")
  func guide() async throws {
    let sample = try #require(try Guide.samples("js").first { $0.contains("const take = ") })
    try await visit { try await play(sample, buys: "coins_100", stage: $0, in: $1) }
  }

  @Test("DOC-1: the guide's first page says what was bought, what was not, and what was refunded")
  func firstPage() async throws {
    let page = try #require(try Guide.samples("html").first)
    try await visit(page) { stage, chromium in
      try await chromium.wait(until: "!document.querySelector('#buy').hidden")
      _ = try await chromium.run("await window.onside.requestLogin(); return null;")
      let outcomes = [
        (Outcome.declined, "Not bought."), (.cancelled, "Not bought."), (.bought, "Bought: 100 coins."),
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

  /// What becomes of the next purchase.
  private enum Outcome {
    case bought, declined, cancelled

    @MainActor
    func prepare(_ stage: Stage) {
      stage.store.settings.failTransactionsEnabled = self == .declined
      // The screen that is shown otherwise is closed at once.
      stage.store.settings.disableDialogs = self != .cancelled
    }
  }

  private func play(_ sample: String, buys product: String, stage: Stage, in chromium: Chromium) async throws {
    _ = try await chromium.run("\(Self.prelude)\nawait window.onside.requestLogin(); return null;")
    let ended = "while ((await window.onside.getTransactions()).length) await new Promise((go) => setTimeout(go, 10));"
    for outcome in [Outcome.declined, .cancelled] {
      outcome.prepare(stage)
      _ = try await chromium.run("\(sample)\n\(ended)\nreturn null;")
      #expect(stage.store.transactions().last?.state == .cancelled)
      let actualDelivered: [String] = try await chromium.evaluate("delivered")
      #expect(actualDelivered == [])
    }
    Outcome.bought.prepare(stage)
    _ = try await chromium.run("\(sample)\n\(ended)\nreturn null;")
    let secondDelivered: [String] = try await chromium.evaluate("delivered")
    #expect(secondDelivered == [product])

    if product != "remove_ads" { stage.store.buy("remove_ads") }
    try await chromium.wait(until: "delivered.includes('remove_ads')")
    // What is being finished is left out of a restore: the page has just got it.
    try await stage.allFinished()
    _ = try await chromium.run("\(ended)\nawait window.onside.restoreCompletedTransactions(); return null;")
    try await chromium.wait(until: "delivered.filter((one) => one === 'remove_ads').length === 2")
    _ = try await chromium.run("\(ended)\nreturn null;")

    let takenBackCount: Int = try await chromium.evaluate("takenBack.length")
    #expect(takenBackCount == 0)
    let refunded = try await stage.refundLast()
    try await chromium.wait(until: "takenBack.length > 0")
    let actualTakenBack: [String] = try await chromium.evaluate("takenBack")
    #expect(actualTakenBack == [refunded.uuidString.lowercased()])
  }

  /// What the samples leave to the page.
  private static let prelude = """
    globalThis.delivered = [];
    globalThis.takenBack = [];
    globalThis.deliver = (id, product) => { delivered.push(product); };
    globalThis.takeBack = (id) => { takenBack.push(id); };
    globalThis.show = () => {};
    """

  private func visit(
    _ html: String = "<!doctype html><title>Sample</title>",
    _ body: @escaping @MainActor (Stage, Chromium) async throws -> Void
  ) async throws {
    try await Stage.visit(html, screens: ClosedScreens(), body)
  }
}

/// A person who closes every screen.
private struct ClosedScreens: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome { .dismissed }
}

extension Stage {
  /// Returns when the store has heard that everything bought was delivered.
  fileprivate func allFinished() async throws {
    try await NamedDeadline.wait(for: "finishes of all purchases") {
      store.transactions().allSatisfy { $0.state != .purchased || $0.isFinished }
    }
  }

  /// Refunds the last purchase once it is finished, and returns its id.
  @discardableResult
  fileprivate func refundLast() async throws -> UUID {
    try await NamedDeadline.wait(for: "a finish of the last purchase") {
      store.transactions().last { $0.state == .purchased }?.isFinished == true
    }
    guard let last = store.transactions().last(where: { $0.state == .purchased }) else { throw CancellationError() }
    guard store.refund(last.id) else { throw CancellationError() }
    return last.id
  }
}
