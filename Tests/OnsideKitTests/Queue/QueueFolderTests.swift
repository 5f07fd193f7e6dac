import Foundation
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("Two queues on one folder", .timeLimit(.minutes(5)))
struct QueueFolderTests {
  @Test(
    "QUE-8: a second process leaves the first one's purchase alone, warns once, refuses payments and takes over later")
  func takesOver() async throws {
    let harness = try await QueueHarness()
    await harness.store.script(.stay)
    try harness.add(RuleProducts.coins)
    await harness.store.until { _, log in log.contains(.present) }

    let second = Watcher()
    let queue = harness.anotherQueue()
    queue.add(observer: second)
    await #expect(throws: OnsideFailure.storageInUse) {
      try await queue.add(harness.payment(RuleProducts.pro))
    }
    while harness.clock.slept.count(where: { $0 == 1 }) < 3 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(harness.logs.warnings.count { $0.contains("storage folder of its own") } == 1)
    #expect(queue.transactions.isEmpty)
    #expect(await harness.store.log.allSatisfy { $0 != .check && $0 != .cancel }, "the second one meddles")

    let id = try #require(harness.queue.transactions.first?.id)
    await harness.queue.close()
    let failed = try await second.first(.failed)
    #expect(failed.id == id)
    await queue.close()
  }

  @Test("QUE-8: the pause before another look at the folder is a second, whatever the jitter", arguments: [0, 255])
  func pause(jitter: UInt8) {
    #expect(BackOff.seconds(attempt: 9, pause: .second, jitter: jitter) == 1)
  }
}
