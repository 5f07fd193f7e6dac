import Foundation
import OnsideKit
import OnsideTestKit
import Testing

@Suite("The published calls in Swift 5", .timeLimit(.minutes(5)))
@MainActor
struct Swift5Tests {
  private let session = OnsideTestSession(selling: .consumable("coins_100"))

  @Test("API-1: every published call compiles in the Swift 5 language mode")
  func languageMode() {
    #if swift(>=6)
      Issue.record("expected this target to be compiled in the Swift 5 language mode")
    #endif
  }

  @Test("API-1: an observer that removes itself in its deinit leaves the queue as it was")
  func removesItself() async throws {
    let phone = session.device()
    phone.launch {}
    try await phone.run {
      let queue = Onside.defaultPaymentQueue()
      let before = queue.transactionObservers.count
      var observer: SelfRemovingObserver? = SelfRemovingObserver()
      #expect(queue.transactionObservers.count == before + 1)
      #expect(observer != nil)
      observer = nil
      #expect(queue.transactionObservers.count == before)
    }
  }

  @Test("API-1: it may go away on another thread; observers that are added afterwards stay")
  func goesAwayElsewhere() async throws {
    let phone = session.device()
    phone.launch {}
    try await phone.run {
      let queue = Onside.defaultPaymentQueue()
      let before = queue.transactionObservers.count
      for _ in 0..<100 {
        let holder = Holder(QueueKeepingObserver(queue))
        await withCheckedContinuation { done in
          Thread.detachNewThread {
            holder.content = nil
            done.resume()
          }
        }
        let next = SmallestObserver()
        queue.add(observer: next)
        // The removal that the other thread asked for has its turn before this one ends.
        for _ in 0..<10 { await Task.yield() }
        #expect(queue.transactionObservers.count == before + 1)
        queue.remove(observer: next)
      }
    }
  }

  @Test("API-1: an observer that another thread removes is removed", .timeLimit(.minutes(1)))
  func removedElsewhere() async throws {
    let phone = session.device()
    phone.launch {}
    try await phone.run {
      let queue = Onside.defaultPaymentQueue()
      let before = queue.transactionObservers.count
      let observer = SmallestObserver()
      queue.add(observer: observer)
      let remover = Remover(queue, observer)
      Thread.detachNewThread { remover.remove() }
      while queue.transactionObservers.count > before {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }
}

/// Calls the queue from code that names no actor.
private final class Remover: @unchecked Sendable {
  private let queue: OnsidePaymentQueue
  private let observer: OnsidePaymentTransactionObserver

  init(_ queue: OnsidePaymentQueue, _ observer: OnsidePaymentTransactionObserver) {
    self.queue = queue
    self.observer = observer
  }

  func remove() { queue.remove(observer: observer) }
}

private final class Holder: @unchecked Sendable {
  var content: AnyObject?
  init(_ content: AnyObject) { self.content = content }
}
