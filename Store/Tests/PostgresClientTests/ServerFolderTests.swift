import Foundation
import Glibc
import Testing

@testable import StoreTestSupport

@Suite("The folder of a PostgreSQL server beside the tests", .timeLimit(.minutes(5)))
struct ServerFolderTests {
  @Test("is deleted by the next start once no process holds its lock, as after SIGKILL")
  func abandoned() throws {
    let parent = try TemporaryFolder()
    var left: ServerFolder? = try ServerFolder(in: parent.path)
    let path = try #require(left?.path)
    try "twelve gigabytes".write(toFile: path + "/data", atomically: false, encoding: .utf8)
    left = nil
    let next = try ServerFolder(in: parent.path)
    #expect(parent.names() == [URL(filePath: next.path).lastPathComponent])
  }

  @Test("stays while a program that inherited the lock runs, although who made it has gone")
  func inherited() async throws {
    let parent = try TemporaryFolder()
    var made: ServerFolder? = try ServerFolder(in: parent.path)
    let path = try #require(made?.path)
    let input = Pipe()
    let program = try spawn(
      "/bin/cat", environment: [:],
      files: [
        .open(input.fileHandleForReading.fileDescriptor), .null, .null, .open(try #require(made?.lock)),
      ])
    made = nil
    let beside = try ServerFolder(in: parent.path)
    #expect(FileManager.default.fileExists(atPath: path))
    kill(program, SIGKILL)
    _ = try await onThread { waitpid(program, nil, 0) }
    let next = try ServerFolder(in: parent.path)
    #expect(Set(parent.names()) == Set([beside.path, next.path].map { URL(filePath: $0).lastPathComponent }))
  }

  @Test("of another kind of temporary folder is not touched")
  func strangers() throws {
    let parent = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: parent.file("onside-test-1"), withIntermediateDirectories: false)
    let folder = try ServerFolder(in: parent.path)
    #expect(Set(parent.names()) == ["onside-test-1", URL(filePath: folder.path).lastPathComponent])
  }
}
