import Foundation
import OnsideKit
import Synchronization

/// A page without a web view: it sends calls and counts the results.
@MainActor
final class PlainCaller {
  private static let calls = [
    #""function":"getCurrentStorefront""#, #""function":"getTransactions""#,
    #""function":"finishTransaction","parameters":"\"x\"""#, #""function":"setAppearance","parameters":"\"dark\"""#,
  ]

  private let view: BridgeView
  private let page: BridgePage
  private let settled: Settled
  private var last = 0

  private final class Settled: Sendable {
    let count = Mutex(0)

    /// Adds the results of a message: only result objects have a number as id.
    func add(_ message: String) {
      var (results, matched) = (0, 0)
      let mark = Array(#"{"id":"#.utf8)
      for byte in message.utf8 {
        if matched == mark.count, byte != UInt8(ascii: "\"") { results += 1 }
        matched = matched < mark.count && byte == mark[matched] ? matched + 1 : byte == mark[0] ? 1 : 0
      }
      count.withLock { $0 += results }
    }
  }

  init(_ view: BridgeView) {
    let settled = Settled()
    self.view = view
    self.settled = settled
    page = view.beginPage { settled.add($0) }
  }

  /// Makes calls, and returns how many of them have settled.
  @discardableResult
  func call(_ count: Int) async throws -> Int {
    let before = settled.count.withLock { $0 }
    for _ in 0..<count / 1_000 {
      let calls = (last + 1...last + 1_000).map { #"{"call":{"id":\#($0),\#(Self.calls[$0 % Self.calls.count])}}"# }
      last += 1_000
      settled.add(page.receive("[\(calls.joined(separator: ","))]"))
      while settled.count.withLock({ $0 }) < last { await Task.yield() }
    }
    return settled.count.withLock { $0 } - before
  }
}
