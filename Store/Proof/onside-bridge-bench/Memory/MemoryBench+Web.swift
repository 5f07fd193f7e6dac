import CWebKitGTK
import Foundation
import OnsideKit
import OnsideWebKitGTK

// The same in real web views.

extension MemoryBench {
  /// A window with the bridge that shows the page.
  private func window() async throws -> OnsideWebWindow {
    let window = try await OnsideWebWindow.open("Memory")
    try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: [origin], bridge: shop.bridge)
    try await window.load(page)
    return window
  }

  /// Windows that are opened, used and closed.
  mutating func webViews() async throws {
    _ = try await openAndClose(10)
    let before = ProcessMemory.now()
    let alive = try await openAndClose(50)
    try await report("50 web views closed", since: before, if: alive == 0, words: "\(alive) of their windows alive")
  }

  private func openAndClose(_ count: Int) async throws -> Int {
    struct Weakly { weak var window: OnsideWebWindow? }
    var made: [Weakly] = []
    for _ in 0..<count {
      let window = try await window()
      _ = try await window.run("return String(await onside.getTransactions())")
      await window.close()
      made.append(Weakly(window: window))
    }
    for _ in 0..<500 where !made.allSatisfy({ $0.window == nil }) { try await Task.sleep(for: .milliseconds(20)) }
    return made.count { $0.window != nil }
  }

  mutating func webCalls() async throws {
    let window = try await window()
    func call(_ count: Int) async throws -> String {
      try await window.run(
        "return String((await inFlight(onside.getCurrentStorefront, 1000, \(count))).callsPerSecond)")
    }
    _ = try await call(200_000)
    let before = ProcessMemory.now()
    let rate = Double(try await call(1_000_000)) ?? 0
    try await report(
      "1,000,000 calls of a web page", since: before, if: rate > 0, words: "all settled, \(Int(rate)) a second")
    await window.close()
  }

  /// Measures memory under a hostile page: far too many calls at once, and far too large ones. The warm-up is one whole
  /// such page: memory that the app's allocator keeps after one must not grow with the next.
  mutating func webFloods() async throws {
    let before = ProcessMemory.now()
    let warmUp = try await window()
    for (_, script, _) in Self.hostile { _ = try await warmUp.run(script) }
    await warmUp.close()
    try await note("the first hostile page closed", since: before)
    let all = ProcessMemory.now()
    let window = try await window()
    for (name, script, expected) in Self.hostile {
      let (before, start) = (ProcessMemory.now(), ContinuousClock.now)
      let outcome = try await window.run(script)
      let seconds = ContinuousClock.now - start
      try await report(
        name, since: before, if: outcome.hasPrefix(expected), pages: false, words: "\(outcome) in \(seconds)")
    }
    let lives = try await window.run("return (await onside.getCurrentStorefront()).countryCode")
    await window.close()
    try await report("the next hostile page closed", since: all, if: lives == "NL", words: "the app lives")
  }

  private static let hostile = [
    ("100,000 calls at once", flood(100_000), "100000 settled"),
    ("an argument of 100 MB", large("'x'.repeat(1e8)"), "brokenRequest"),
    ("an argument of 100 MB that is many", large("'[1,'.repeat(2.5e7)"), "brokenRequest"),
    ("an argument of 15 MB, 3,000,000 times null", huge("new Array(3e6).fill(null)"), "fulfilled"),
  ]

  /// Everything is called before anything is waited for.
  private static func flood(_ count: Int) -> String {
    """
    const calls = [
      () => onside.getTransactions(), () => onside.finishTransaction('x'), () => onside.getCurrentStorefront(),
      () => onside.setAppearance('dark'),
    ];
    const all = await Promise.allSettled(Array.from({ length: \(count) }, (_, index) => calls[index % 4]()));
    const counts = {};
    for (const { status, reason } of all) {
      const name = status === 'fulfilled' ? status : reason.code ?? Object.keys(reason)[0];
      counts[name] = (counts[name] ?? 0) + 1;
    }
    const list = Object.entries(counts).map((entry) => entry.join(' ')).join(', ');
    return `${all.length} settled: ${list}`;
    """
  }

  private static func large(_ name: String) -> String { outcome("{ name: \(name) }") }
  private static func huge(_ value: String) -> String { outcome("{ name: 'x', parameters: { value: \(value) } }") }

  private static func outcome(_ event: String) -> String {
    "try { await onside.trackEvent(\(event)); return 'fulfilled'; } catch (error) { return String(error.code); }"
  }
}
