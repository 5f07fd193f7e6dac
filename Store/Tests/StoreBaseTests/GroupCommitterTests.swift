import Dispatch
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("Group commit", .timeLimit(.minutes(1)))
struct GroupCommitterTests {
  @Test("background writes join a batch four at a time, behind those that somebody waits for")
  func background() async throws {
    let sizes = Mutex<[Int]>([])
    let gate = DispatchSemaphore(value: 0)
    let committer = GroupCommitter { batch in
      let isFirst = sizes.withLock { sizes in
        sizes.append(batch.count)
        return sizes.count == 1
      }
      if isFirst { gate.wait() }
      return { for job in batch { job.refuse(.busy) } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { gate.signal() }
      func write(_ count: Int, isBackground: Bool) {
        for _ in 0..<count {
          group.addTask {
            await WritePriority.$isBackground.withValue(isBackground) {
              _ = try? await committer.write(beside: nil) { _ in }
            }
          }
        }
      }
      write(1, isBackground: false)
      try await NamedDeadline.wait(for: "the first batch") { sizes.withLock { !$0.isEmpty } }
      write(10, isBackground: true)
      write(3, isBackground: false)
      try await NamedDeadline.wait(for: "13 waiting writes") { committer.waitingCount == 13 }
    }
    #expect(sizes.withLock { $0 } == [1, 7, 4, 2])
  }
}
