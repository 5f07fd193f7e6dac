#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  @testable import OnsideKit

  @Suite(.timeLimit(.minutes(5)))
  struct FileLockTests {
    @Test("A lock that is let go is free, also while a program that was just started has its descriptor")
    func letGo() throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      var lock: FileLock? = try FileLock.takeNow(file)
      #expect(throws: FileLock.Busy.self) { try FileLock.takeNow(file) }
      // What a child has between fork and exec.
      let copy = dup(try #require(try descriptor(of: file)))
      defer { close(copy) }
      withExtendedLifetime(lock) {}
      lock = nil
      lock = try FileLock.takeNow(file)
      withExtendedLifetime(lock) {}
    }

    private func descriptor(of file: URL) throws -> Int32? {
      let path = file.resolvingSymlinksInPath().path
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }.flatMap { Int32($0) }
    }
  }
#endif
