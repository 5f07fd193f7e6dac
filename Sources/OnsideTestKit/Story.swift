import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import Synchronization

/// Everything that happened in a session, in order, and where each transaction stands by it.
final class Story: Sendable {
  struct Entry: Sendable {
    let transaction: UUID?
    let step: StoryStep
  }

  private struct State {
    var entries: [Entry] = []
    var transactions: [UUID: TestTransaction] = [:]
    /// The transactions in the order in which they were first heard of.
    var order: [UUID] = []
  }
  private let state = Mutex(State())

  /// Writes a step down.
  func add(_ kind: StoryStep.Kind, of id: UUID?, device: String?, detail: String = "", at date: Date) {
    state.withLock { state in
      state.entries.append(
        Entry(transaction: id, step: StoryStep(date: date, device: device, kind: kind, detail: detail)))
      guard let id, let next = kind.leads(from: state.transactions[id]?.state) else { return }
      state.transactions[id]?.state = next
    }
  }

  /// Makes a transaction known, and changes what is known of it.
  func know(
    _ id: UUID, productIdentifier: String, change: (inout TestTransaction) -> Void = { _ in }
  ) {
    state.withLock { state in
      if state.transactions[id] == nil {
        state.order.append(id)
        state.transactions[id] = TestTransaction(id: id, productIdentifier: productIdentifier)
      }
      if var known = state.transactions[id] {
        change(&known)
        state.transactions[id] = known
      }
    }
  }

  /// The transactions of a product, or all, in the order in which they came, without their stories.
  func transactions(of productIdentifier: String?) -> [TestTransaction] {
    state.withLock { state in
      state.order.compactMap { state.transactions[$0] }
        .filter { productIdentifier == nil || $0.productIdentifier == productIdentifier }
    }
  }

  /// The latest transaction of a product, without its story.
  func last(of productIdentifier: String) -> TestTransaction? {
    state.withLock { state in
      state.order.last { state.transactions[$0]?.productIdentifier == productIdentifier }
        .flatMap { state.transactions[$0] }
    }
  }

  func transaction(_ id: UUID) -> TestTransaction? {
    state.withLock { state in state.transactions[id].map { telling($0, in: state) } }
  }

  /// What happened, of one transaction or in all. What belongs to no transaction belongs to every one from its first
  /// step on.
  func steps(of id: UUID? = nil) -> [StoryStep] { state.withLock { steps(of: id, in: $0) } }

  private func telling(_ transaction: TestTransaction, in state: State) -> TestTransaction {
    var told = transaction
    told.steps = steps(of: transaction.id, in: state)
    return told
  }

  private func steps(of id: UUID?, in state: State) -> [StoryStep] {
    guard let id else { return state.entries.map(\.step) }
    let start = state.entries.firstIndex { $0.transaction == id } ?? state.entries.endIndex
    return state.entries[start...].filter { $0.transaction == nil || $0.transaction == id }.map(\.step)
  }
}
