import Foundation

/// The questions to pages that are open.
///
/// Every view that has a page is asked. One no decides; yes needs the yes of all. While there is no page the question
/// waits for the next one. Nobody agrees by silence: when the time is over the answer is no (JSB-5).
@MainActor
final class BridgeGates {
  private struct Open {
    let gate: BridgeGate
    let answer: CheckedContinuation<Bool, Never>
    let timer: Task<Void, Never>
    var asked: Set<Int> = []
    var agreed: Set<Int> = []
  }

  private let views: ViewList
  private let deadline: Double
  private let sleep: @Sendable (Double) async throws -> Void
  private var open: [Int: Open] = [:]
  private(set) var lastID = 0

  init(views: ViewList, deadline: Double, sleep: @escaping @Sendable (Double) async throws -> Void) {
    self.views = views
    self.deadline = deadline
    self.sleep = sleep
  }

  /// How many are open.
  var count: Int { open.count }

  /// Asks the pages, and waits for the answer.
  func ask(_ question: BridgeGate.Question) async -> Bool {
    lastID += 1
    let gate = BridgeGate(id: lastID, question: question)
    return await withCheckedContinuation { answer in
      let timer = Task { [weak self, sleep, deadline] in
        try? await sleep(deadline)
        self?.settle(gate.id, false)
      }
      open[gate.id] = Open(gate: gate, answer: answer, timer: timer)
      askAll(gate)
    }
  }

  func answer(_ answer: PageAnswer, from view: BridgeView) {
    guard answer.value else { return settle(answer.gate, false) }
    open[answer.gate]?.agreed.insert(view.id)
    decide(answer.gate)
  }

  /// A page came or went: perhaps there is somebody new to ask, or everybody who is left has agreed.
  func pagesChanged() {
    for id in open.keys.sorted() {
      if let gate = open[id]?.gate { askAll(gate) }
      decide(id)
    }
  }

  /// Asks the views that have not been asked. A view asks its next page again by itself.
  private func askAll(_ gate: BridgeGate) {
    for view in views.all where open[gate.id]?.asked.insert(view.id).inserted == true { view.ask(gate) }
  }

  private func decide(_ id: Int) {
    guard let agreed = open[id]?.agreed, !agreed.isEmpty else { return }
    if views.all.allSatisfy({ !$0.hasPage || agreed.contains($0.id) }) { settle(id, true) }
  }

  private func settle(_ id: Int, _ answer: Bool) {
    guard let gate = open.removeValue(forKey: id) else { return }
    gate.timer.cancel()
    for view in views.all { view.withdraw(id) }
    gate.answer.resume(returning: answer)
  }
}
