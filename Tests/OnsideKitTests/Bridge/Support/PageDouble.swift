import Foundation
import Synchronization

@testable import OnsideKit

/// A page in Swift that plays its part honestly: it numbers its calls, puts messages in order, hears events, answers
/// gates.
final class PageDouble: Sendable {
  fileprivate struct State {
    var page: BridgePage?
    var pageID: String?
    var lastID = 0
    var expected = 1
    var early: [Int: JSON] = [:]
    var waiting: [Int: CheckedContinuation<JSON, Never>] = [:]
    var settled: [Int: JSON] = [:]
    var order: [Int] = []
    var events: [JSON] = []
    var gates: [JSON] = []
    var withdrawn: [Int] = []
    var heartbeats = 0
    var answer: Bool?
    var hangs = false
    var reportsDelivery = true
  }

  private let state = Mutex(State())

  /// A new document of the view.
  /// - Parameters:
  ///   - answer: what it answers gates with; nil when it never does.
  ///   - hangs: whether it leaves heartbeats without an answer.
  ///   - handlers: the names of the callbacks for which it has a handler from the beginning.
  ///   - reportsDelivery: whether its handler for revocations returns, so that it reports them as delivered.
  init(
    _ view: BridgeView, answer: Bool? = true, hangs: Bool = false,
    handlers: [String] = BridgeCallback.all.map(\.name), reportsDelivery: Bool = true
  ) {
    let page = view.beginPage { [weak self] text in self?.hear(text) }
    state.withLock {
      $0.page = page
      $0.answer = answer
      $0.hangs = hangs
      $0.reportsDelivery = reportsDelivery
    }
    say(.handlers(names: handlers))
  }

  /// The names of the events that were heard.
  var heard: [String] { events.compactMap { $0["name"]?.text } }
  var events: [JSON] { state.withLock { $0.events } }
  /// The gates that were asked.
  var gates: [JSON] { state.withLock { $0.gates } }
  /// The gates that need no answer any more.
  var withdrawn: [Int] { state.withLock { $0.withdrawn } }
  /// How often it was asked for a sign of life.
  var heartbeats: Int { state.withLock { $0.heartbeats } }
  /// The calls that were answered, in that order.
  var answered: [Int] { state.withLock { $0.order } }
  /// How many calls wait.
  var waiting: Int { state.withLock { $0.lastID - $0.settled.count } }
  func result(of call: Int) -> JSON? { state.withLock { $0.settled[call] } }

  /// Says something to the app as it is, and returns the reply.
  @discardableResult
  func say(_ text: String) -> String {
    let reply = state.withLock { $0.page }?.receive(text) ?? ""
    hear(reply)
    return reply
  }

  @discardableResult
  func say(_ items: PageItem...) -> String { say(items.message) }

  func ready() { say(.ready) }
  func end() { state.withLock { $0.page }?.end() }

  /// Calls functions in one message, and returns the ids of the calls.
  @discardableResult
  func begin(_ calls: (function: String, parameters: String)...) -> ClosedRange<Int> { begin(calls) }

  @discardableResult
  func begin(_ calls: [(function: String, parameters: String)]) -> ClosedRange<Int> {
    let first = state.withLock { state in
      defer { state.lastID += calls.count }
      return state.lastID + 1
    }
    let items = calls.enumerated().map {
      PageItem.call(id: first + $0.offset, function: $0.element.function, parameters: $0.element.parameters)
    }
    say(items.message)
    return first...(first + calls.count - 1)
  }

  /// Calls a function and waits for its outcome: an object with `value`, `rejection`, `error` or nothing.
  func call(_ function: String, with parameters: String = "null") async -> JSON {
    let id = begin((function, parameters)).lowerBound
    return await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.settled[id] == nil { state.waiting[id] = continuation }
        return state.settled[id]
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  func answer(_ gate: Int, with value: Bool) { say(.answer(gate: gate, value: value)) }

  private func hear(_ text: String) {
    guard let message = try? JSON(text) else { return }
    let resumed = state.withLock { state in
      if let number = message["number"]?.int { state.early[number] = message }
      var resumed: [(CheckedContinuation<JSON, Never>, JSON)] = []
      while let next = state.early.removeValue(forKey: state.expected) {
        state.expected += 1
        resumed += state.take(next)
      }
      if let error = message["error"] { resumed += state.refuse(error) }
      return resumed
    }
    for (continuation, result) in resumed { continuation.resume(returning: result) }
    let (gates, value) = state.withLock { ($0.expected > 1 ? message["gates"]?.items ?? [] : [], $0.answer) }
    if message["heartbeat"] != nil, !state.withLock({ $0.hangs }) { say(.alive) }
    if state.withLock({ $0.reportsDelivery }) { reportDelivery(of: message["events"]?.items ?? []) }
    guard let value else { return }
    for gate in gates.compactMap({ $0["id"]?.int }) { answer(gate, with: value) }
  }
}

extension PageDouble {
  private func reportDelivery(of events: [JSON]) {
    let revoked = events.filter { $0["name"]?.text == "onTransactionsRevoked" }
    let ids = revoked.flatMap { $0["argument"]?.items ?? [] }.compactMap { $0["id"]?.text.flatMap(UUID.init) }
    if !ids.isEmpty { say(.delivered(revocations: ids)) }
  }
}

extension PageDouble.State {
  fileprivate typealias Resumed = [(CheckedContinuation<JSON, Never>, JSON)]

  fileprivate mutating func take(_ message: JSON) -> Resumed {
    events += message["events"]?.items ?? []
    gates += message["gates"]?.items ?? []
    withdrawn += (message["withdrawn"]?.items ?? []).compactMap(\.int)
    if message["heartbeat"] != nil { heartbeats += 1 }
    return (message["results"]?.items ?? []).flatMap { settle($0["id"]?.int ?? 0, with: $0) }
  }

  fileprivate mutating func refuse(_ error: JSON) -> Resumed {
    (1..<(lastID + 1)).filter { settled[$0] == nil }.flatMap { settle($0, with: .object(["error": error])) }
  }

  private mutating func settle(_ id: Int, with result: JSON) -> Resumed {
    settled[id] = result
    order.append(id)
    return waiting.removeValue(forKey: id).map { [($0, result)] } ?? []
  }
}
