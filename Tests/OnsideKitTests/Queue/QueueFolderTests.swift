import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite("Two queues on one folder", .timeLimit(.minutes(5)))
struct QueueFolderTests {
  @Test(
    "QUE-8: a second process leaves the first one's purchase alone, warns once, refuses payments and takes over later")
  func takesOver() async throws {
    let rig = try await Rig()
    await rig.store.script(.stay)
    try rig.add(Goods.coins)
    await rig.store.until { _, log in log.contains(.present) }

    let second = Watcher()
    let queue = rig.anotherQueue()
    queue.add(observer: second)
    await #expect(throws: OnsideFailure.storageInUse) {
      try await queue.add(rig.payment(Goods.pro))
    }
    while rig.clock.slept.count(where: { $0 == 1 }) < 3 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(rig.logs.warnings.count { $0.contains("storage folder of its own") } == 1)
    #expect(queue.transactions.isEmpty)
    #expect(await rig.store.log.allSatisfy { $0 != .check && $0 != .cancel }, "the second one meddles")

    let id = try #require(rig.queue.transactions.first?.id)
    await rig.queue.close()
    let failed = try await second.first(.failed)
    #expect(failed.id == id)
    await queue.close()
  }

  @Test("QUE-8: the pause before another look at the folder is a second, whatever the jitter", arguments: [0, 255])
  func pause(jitter: UInt8) {
    #expect(BackOff.seconds(attempt: 9, pause: .second, jitter: jitter) == 1)
  }
}
