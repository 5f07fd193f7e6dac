import Foundation

/// The open gates: questions to pages that wait for an answer.
///
/// The page that requested the purchase is asked. When no page did, every page that is ready is asked: one no decides,
/// and yes needs the yes of all. A page may take as long as it likes, since it may show a dialog, while it answers a
/// heartbeat. The answer is no when it does not, when its view is closed, and when no page is ready in time (JSB-5,
/// JSB-12).
@MainActor
final class BridgeGates {
  private struct Open {
    let gate: BridgeGate
    /// The view whose page has to answer; every view when nil.
    let acting: Int?
    let answer: CheckedContinuation<Bool, Never>
    let timer: Task<Void, Never>
    var asked: Set<Int> = []
    var agreed: Set<Int> = []
    /// The views whose page has been asked for a sign of life and has not given one.
    var silent: Set<Int> = []
    /// Whether there was no page to be asked when the last heartbeat was due.
    var isAlone = false
  }

  private let views: ViewList
  private let heartbeat: Double
  private let sleep: @Sendable (Double) async throws -> Void
  private var open: [Int: Open] = [:]
  private(set) var lastID = 0

  /// - Parameter deadline: how long a page may be silent, in seconds. It is asked for a sign of life after half of it.
  init(views: ViewList, deadline: Double, sleep: @escaping @Sendable (Double) async throws -> Void) {
    self.views = views
    heartbeat = deadline / 2
    self.sleep = sleep
  }

  /// How many are open.
  var count: Int { open.count }

  /// Asks the page of a view, or every page, and waits for the answer.
  func ask(_ question: BridgeGate.Question, of acting: Int?) async -> Bool {
    lastID += 1
    let gate = BridgeGate(id: lastID, question: question)
    return await withCheckedContinuation { answer in
      let timer = Task { [weak self, sleep, heartbeat] in
        while (try? await sleep(heartbeat)) != nil {
          guard self?.beat(gate.id) == true else { return }
        }
        self?.settle(gate.id, with: false)
      }
      open[gate.id] = Open(gate: gate, acting: acting, answer: answer, timer: timer)
      review(gate.id)
    }
  }

  func answer(_ answer: PageAnswer, from view: BridgeView) {
    guard answer.value else { return settle(answer.gate, with: false) }
    open[answer.gate]?.agreed.insert(view.id)
    review(answer.gate)
  }

  /// A page came, is ready or went: perhaps it is to be asked, or all that are left have agreed.
  func pagesChanged(in view: BridgeView) {
    heard(from: view)
    for id in open.keys.sorted() { review(id) }
  }

  /// Notes that the page of a view is alive.
  func heard(from view: BridgeView) {
    for id in open.keys { open[id]?.silent.remove(view.id) }
  }

  /// Asks the views that have not been asked, and settles the gate if the answers decide it. A view asks its next page
  /// again by itself.
  private func review(_ id: Int) {
    guard let asking = open[id] else { return }
    let candidates = candidates(for: asking)
    if asking.acting != nil, candidates.isEmpty { return settle(id, with: false) }
    for view in candidates where open[id]?.asked.insert(view.id).inserted == true { view.ask(asking.gate) }
    guard !asking.agreed.isEmpty else { return }
    if candidates.allSatisfy({ asking.agreed.contains($0.id) || !$0.isReady }) { settle(id, with: true) }
  }

  private func candidates(for asking: Open) -> [BridgeView] {
    views.all.filter { asking.acting == nil || asking.acting == $0.id }
  }

  /// Looks after the pages that have not answered.
  /// - Returns: whether the question is still open.
  private func beat(_ id: Int) -> Bool {
    guard let asking = open[id] else { return false }
    let waiting = candidates(for: asking).filter { $0.isReady && !asking.agreed.contains($0.id) }
    let isHung = waiting.contains { asking.silent.contains($0.id) }
    guard !isHung, !waiting.isEmpty || !asking.isAlone else {
      settle(id, with: false)
      return false
    }
    open[id]?.isAlone = waiting.isEmpty
    open[id]?.silent = Set(waiting.map(\.id))
    for view in waiting { view.beat() }
    return true
  }

  private func settle(_ id: Int, with answer: Bool) {
    guard let gate = open.removeValue(forKey: id) else { return }
    gate.timer.cancel()
    for view in views.all { view.withdraw(id) }
    gate.answer.resume(returning: answer)
  }
}
