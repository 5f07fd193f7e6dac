import Foundation
import OnsideKit

/// Checks that memory stays flat after many objects, calls and messages. Prints one line for each figure.
@MainActor
struct MemoryBench {
  /// The growth that counts as none, in megabytes: allocators keep some free memory.
  static let bar = 16.0

  let shop: BenchApp
  let page: URL
  let origin: String
  private(set) var isMet = true

  mutating func run() async throws {
    try await plainObjects()
    try await plainCalls()
    try await webViews()
    try await webCalls()
    try await webFloods()
  }

  /// Notes a figure. Growth is that of this process and of the web processes.
  /// - Parameter pages: whether web processes count. What a page allocates for itself goes when its engine collects it.
  mutating func report(
    _ name: String, since before: ProcessMemory, if condition: Bool = true, pages: Bool = true, words: String
  ) async throws {
    let after = try await ProcessMemory.now(atMost: Self.bar, over: before, seconds: pages ? 20 : 5)
    let growth = (app: after.app - before.app, pages: after.pages - before.pages)
    let met = condition && growth.app <= Self.bar && (!pages || growth.pages <= Self.bar)
    isMet = isMet && met
    say("\(met ? "met " : "MISSED")  \(name): \(words); \(after.described(since: before))")
  }

  /// The same without a bar.
  func note(_ name: String, since before: ProcessMemory) async throws {
    let after = try await ProcessMemory.now(atMost: 0, over: before, seconds: 5)
    say("no bar  \(name): \(after.described(since: before))")
  }

  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

// MARK: Without a web view

extension MemoryBench {
  private struct Weakly {
    weak var view: BridgeView?
    weak var page: BridgePage?
    var isGone: Bool { view == nil && page == nil }
  }

  /// Views and pages that are made, used and dropped.
  private mutating func plainObjects() async throws {
    _ = try await makeAndDrop(1_000)
    let before = ProcessMemory.now()
    let alive = try await makeAndDrop(10_000)
    try await report("10,000 views and pages dropped", since: before, if: alive == 0, words: "\(alive) of them alive")
  }

  private static let message = """
    [{"handlers":{"names":["onTransactionsUpdated"]}},{"ready":{}},{"call":{"id":1,"function":"getTransactions"}},\
    {"call":{"id":2,"function":"getCurrentStorefront"}}]
    """

  private func makeAndDrop(_ count: Int) async throws -> Int {
    var made: [Weakly] = []
    for number in 0..<count {
      let view = shop.bridge.makeView()
      let page = view.beginPage { _ in }
      _ = page.receive(Self.message)
      made.append(Weakly(view: view, page: page))
      if number.isMultiple(of: 2) { view.close() }
      if number.isMultiple(of: 50) { await Task.yield() }
    }
    for _ in 0..<500 where !made.allSatisfy(\.isGone) { try await Task.sleep(for: .milliseconds(20)) }
    return made.count { !$0.isGone }
  }

  /// Calls of four functions, a thousand in a message. One is answered at once, the others by the main actor.
  private mutating func plainCalls() async throws {
    let caller = PlainCaller(shop.bridge.makeView())
    try await caller.call(100_000)
    let (before, start) = (ProcessMemory.now(), ContinuousClock.now)
    let settled = try await caller.call(1_000_000)
    let seconds = ContinuousClock.now - start
    try await report(
      "1,000,000 calls without a web view", since: before, if: settled == 1_000_000,
      words: "\(settled) settled in \(seconds)")
  }
}
