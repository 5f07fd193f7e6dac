import Dispatch
import Foundation
import Glibc
import StoreTestSupport
import Synchronization
import Testing

/// A program that runs beside a test; what it prints goes to files, so that no pipe fills up.
final class ChildProgram: Sendable {
  private let id: pid_t
  private let folder: TemporaryFolder
  private let name: String
  private let rawStatus: Ending

  /// How the program ended, once it has.
  private final class Ending: Sendable {
    let value = Mutex<Int32?>(nil)
  }

  private let end: Task<Void, Never>

  /// - Parameters:
  ///   - input: what it can read on standard input.
  ///   - terminal: an open file that it has in place of all three.
  init(
    _ program: URL, arguments: [String], in folder: TemporaryFolder, environment: [String: String],
    input: String? = nil,
    terminal: Int32? = nil
  ) throws {
    let name = UUID().uuidString
    if let input { try folder.write(name + ".in", text: input) }
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONSIDE_") }
    variables.merge(environment) { $1 }
    let output = folder.file(name)
    // env goes to the folder and becomes the program: what sets a child's folder directly is hidden from Swift.
    let id = try spawn(
      "/usr/bin/env", arguments: ["-C", folder.url.path(), program.path()] + arguments, environment: variables,
      files: terminal.map { [.open($0), .open($0), .open($0)] } ?? [
        input == nil ? .null : .reading(output + ".in"), .appending(output + ".out"), .appending(output + ".err"),
      ])
    let ending = Ending()
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    // A thread of its own: waiting must not take one from the tests.
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(id, &status, 0) == -1, errno == EINTR {}
      ending.value.withLock { $0 = status }
      ended.finish()
    }
    self.id = id
    self.folder = folder
    self.name = name
    rawStatus = ending
    end = Task { for await _ in ends {} }
  }

  deinit { send(SIGKILL) }

  var output: String { folder.text(name + ".out") }
  var errors: String { folder.text(name + ".err") }
  var isRunning: Bool { rawStatus.value.withLock { $0 == nil } }

  /// The exit status, or 128 and the signal that ended it.
  var status: Int32 {
    rawStatus.value.withLock { raw in
      guard let raw else { return -1 }
      return raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
    }
  }

  /// Waits for its end; a program that does not end within two minutes is killed, which fails the test.
  func ended() async {
    let deadline = Task {
      try await Task.sleep(for: .seconds(120))
      Issue.record("a program did not end within two minutes; its errors: \(errors)")
      send(SIGKILL)
    }
    await end.value
    deadline.cancel()
  }

  func send(_ signal: Int32) {
    rawStatus.value.withLock { raw in
      // Not after its end: the number may be another program's by then.
      if raw == nil { kill(id, signal) }
    }
  }

  /// Waits until a line with a marker is on standard output and returns what follows the marker in it; nil when the
  /// program ends without.
  func line(after marker: String) async throws -> String? {
    let deadline = NamedDeadline("a line with “\(marker)”")
    while true {
      let isRunning = isRunning
      let line = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .first { $0.contains(marker) }
      if let line, let range = line.range(of: marker) { return String(line[range.upperBound...]) }
      guard isRunning else { return nil }
      try await deadline.next(in: .milliseconds(20))
    }
  }
}
