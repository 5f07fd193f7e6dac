import Dispatch
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore

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
    await withTaskGroup(of: Void.self) { group in
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
      while sizes.withLock(\.isEmpty) { await Task.yield() }
      write(10, isBackground: true)
      write(3, isBackground: false)
      while committer.waitingCount < 13 { await Task.yield() }
      gate.signal()
    }
    #expect(sizes.withLock { $0 } == [1, 7, 4, 2])
  }
}
