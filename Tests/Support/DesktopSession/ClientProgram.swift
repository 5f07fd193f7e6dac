import Foundation
import Glibc

/// A program that reads lines and answers each with one.
package final class ClientProgram: Sendable {
  private let child: ChildProgram
  private let input: FileHandle
  private let output: URL

  /// Starts a program that lies beside the tests.
  package init(_ program: String, arguments: [String] = [], in session: DesktopSession) throws {
    let name = UUID().uuidString
    let pipe = session.folder.appending(path: "\(name).in").path(percentEncoded: false)
    output = session.folder.appending(path: "\(name).out")
    guard mkfifo(pipe, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    // Opened for reading and writing, a pipe does not wait for its other end.
    let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    child = try ChildProgram(
      [Self.path(of: program)] + arguments, environment: session.environment, input: pipe,
      output: output.path(percentEncoded: false))
  }

  /// A program that is built with the tests.
  package static func path(of program: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: program)
      .path(percentEncoded: false)
  }

  /// Sends a line and returns the answer. One at a time.
  package func ask(_ question: String) async throws -> String {
    let before = lines.count
    let deadline = NamedDeadline("an answer to “\(question)”")
    try input.write(contentsOf: Data("\(question)\n".utf8))
    while lines.count == before {
      if let status = child.status { throw ClientEnded(question: question, status: status, said: lines) }
      try await deadline.next()
    }
    return lines[before]
  }

  /// Everything that it has answered.
  private var lines: [String] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Ends it at once.
  package func kill() { child.kill() }
}

/// A program that ended instead of answering.
package struct ClientEnded: Error {
  let question: String
  let status: Int32
  let said: [String]
}
