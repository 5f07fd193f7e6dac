import CWebKitGTK
import Foundation
import OnsideWebKitGTK
import Testing

@Suite("GTK's actor", .needsDisplay, .timeLimit(.minutes(5)))
struct GTKActorTests {
  @Test("everything on the actor runs on one thread, in the order in which it was handed over")
  func order() async throws {
    try await GTKActor.start()
    let log = Log()
    let tasks = (0..<500).map { number in Task { @GTKActor in log.add(number) } }
    for task in tasks { await task.value }
    let (numbers, threads) = await (log.numbers, log.threads)
    #expect(numbers == Array(0..<500))
    #expect(threads.count == 1)
  }

  @Test("starting it again and again starts one loop")
  func start() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await GTKActor.start() } }
      try await group.waitForAll()
    }
    let log = Log()
    for number in 0..<20 { await log.add(number) }
    let threads = await log.threads
    #expect(threads.count == 1)
  }

  @GTKActor private final class Log {
    private(set) var numbers: [Int] = []
    private(set) var threads: Set<UInt> = []
    func add(_ number: Int) {
      numbers.append(number)
      threads.insert(Self.currentThread())
    }
    static func currentThread() -> UInt { UInt(pthread_self()) }
  }
}
