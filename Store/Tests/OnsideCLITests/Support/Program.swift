import Foundation
import StoreTestSupport
import Testing

/// The built `onside` executable in the folder of the test bundle.
struct Program {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command to its end in the folder of the test.
  func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Outcome {
    try await run(arguments, environment: environment)
  }

  func run(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil
  ) async throws -> Outcome {
    let process = try launch(arguments, environment: environment, input: input)
    await process.ended()
    return Outcome(status: process.status, output: process.output, errors: process.errors)
  }

  /// Runs a command to its end, started by another program.
  func run(_ arguments: [String], under tool: [String], input: String) async throws -> Outcome {
    let process = try ChildProgram(
      URL(filePath: "/usr/bin/env"), arguments: tool + [try Self.path().path()] + arguments, in: folder,
      environment: [:],
      input: input)
    await process.ended()
    return Outcome(status: process.status, output: process.output, errors: process.errors)
  }

  /// Starts a command and leaves it running.
  func launch(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil
  ) throws -> ChildProgram {
    try ChildProgram(Self.path(), arguments: arguments, in: folder, environment: environment, input: input)
  }

  /// Starts a command whose files a shell redirects, as `2>/dev/full` does.
  func launch(_ arguments: [String], redirecting files: String) throws -> ChildProgram {
    let words = ["-c", "exec \"$@\" \(files)", "sh", try Self.path().path()] + arguments
    return try ChildProgram(URL(filePath: "/bin/sh"), arguments: words, in: folder, environment: [:])
  }

  /// Starts a command at a terminal, as the leader of a session that it belongs to.
  func launch(_ arguments: [String], terminal: Int32) throws -> ChildProgram {
    let words = ["--ctty", try Self.path().path()] + arguments
    return try ChildProgram(
      URL(filePath: "/usr/bin/setsid"), arguments: words, in: folder, environment: [:], terminal: terminal)
  }

  private static func path() throws -> URL {
    let places = [URL(filePath: CommandLine.arguments[0]), Bundle.main.bundleURL.appending(path: "x")]
    let programs = places.map { $0.deletingLastPathComponent().appending(path: "onside") }
    return try #require(
      programs.first { FileManager.default.isExecutableFile(atPath: $0.path()) }, "expected onside at \(programs)")
  }
}
