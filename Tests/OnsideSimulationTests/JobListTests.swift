import Foundation
import Synchronization
import Testing

@testable import OnsideSimulation

@Suite("Order of tasks", .timeLimit(.minutes(5)))
struct JobListTests {
  private actor Counter {
    private var count = 0
    func next() -> Int {
      count += 1
      return count
    }
  }

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// Tasks, child tasks, an actor and the main actor, in each other's way.
  private func entangle() -> [String] {
    let log = Log()
    let jobs = JobList()
    jobs.run {
      let counter = Counter()
      for number in 0..<5 {
        Task { @MainActor in
          MainActor.preconditionIsolated()
          log.add("\(number) got \(await counter.next())")
          await withTaskGroup(of: Void.self) { group in
            for child in 0..<3 { group.addTask { log.add("\(number).\(child) got \(await counter.next())") } }
          }
          log.add("\(number) ends")
        }
        Task.detached { log.add("detached \(number) got \(await counter.next())") }
      }
      await jobs.rest()
      log.add("rest")
    }
    #expect(jobs.strays == 0)
    return log.all
  }

  @Test("tasks of every kind run in the same order every time, and all of them before the rest")
  func order() {
    let first = entangle()
    #expect(first.count == 31)
    #expect(first.last == "rest")
    for _ in 0..<20 { #expect(entangle() == first) }
  }

  @Test("main-actor jobs of other tasks do not run on the thread of a simulation")
  func others() async {
    async let entangled = entangle()
    for _ in 0..<20 { #expect(await MainActor.run { ThreadJobs.current == nil }) }
    let entangledCount = await entangled.count
    #expect(entangledCount == 31)
  }
}
