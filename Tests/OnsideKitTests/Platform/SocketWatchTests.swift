import Foundation
import Testing

@testable import OnsideKit

#if canImport(Glibc)
  import Glibc
  private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#else
  import Darwin
  private let streamType = SOCK_STREAM
#endif

@Suite(.timeLimit(.minutes(2)))
struct SocketWatchTests {
  let watch = SocketWatch()

  /// Two sockets that are connected with each other. Programs that other tests start must not hold them open.
  func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, streamType, 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("A socket is ready when something comes, when there is room, and when its peer has gone")
  func ready() async throws {
    let (one, other) = try pair()
    await watch.wait(for: .writable, of: one)
    async let something: Void = watch.wait(for: .readable, of: one)
    #expect(send(other, "x", 1, 0) == 1)
    await something
    var byte: UInt8 = 0
    #expect(recv(one, &byte, 1, 0) == 1)
    async let end: Void = watch.wait(for: .readable, of: one)
    close(other)
    await end
    #expect(recv(one, &byte, 1, 0) == 0)
    close(one)
  }

  @Test("A wait ends when its task is cancelled, before or after it began, and the others go on")
  func cancelled() async throws {
    let (one, other) = try pair()
    let goesOn = Task { await watch.wait(for: .readable, of: one) }
    for rounds in 0..<200 {
      let wait = Task { await watch.wait(for: .readable, of: one) }
      for _ in 0..<rounds % 7 { await Task.yield() }
      wait.cancel()
      await wait.value
    }
    #expect(send(other, "x", 1, 0) == 1)
    await goesOn.value
    close(one)
    close(other)
  }

  @Test("Sockets whose peers hang up, and whose numbers are used again at once, are each found ready")
  func numbersUsedAgain() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<250 {
            let (one, other) = try pair()
            async let end: Void = watch.wait(for: .readable, of: one)
            await Task.yield()
            close(other)
            await end
            close(one)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
