import Foundation

/// A program that runs beside this one, with its output as lines.
final class DemoProcess {
  /// The lines that it writes to standard output, until it ends.
  let lines: AsyncStream<String>
  private let process = Process()
  private let input = Pipe()

  /// Starts a program; its standard error goes to `errors`.
  init(_ program: URL, arguments: [String], in folder: URL, errors: URL) throws {
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardInput = input
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: errors)
    lines = Self.lines(of: output.fileHandleForReading)
    try process.run()
  }

  /// Writes a line to its standard input.
  func answer(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  /// Asks it to stop, as an operator does, and waits for its end.
  func terminate() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends it at once, for a program that does not stop when it is asked to.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for its end.
  func exitStatus() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs a program to its end and gives what it wrote.
  static func run(_ program: URL, arguments: [String], in folder: URL) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw DemoFailure("`\(program.lastPathComponent) \(arguments.joined(separator: " "))` failed: \(text)")
    }
    return text
  }

  /// What comes from a handle until it ends, as lines.
  static func lines(of handle: FileHandle) -> AsyncStream<String> {
    AsyncStream { continuation in
      let thread = Thread {
        var rest = Data()
        while true {
          let chunk = handle.availableData
          guard !chunk.isEmpty else { break }
          rest += chunk
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
            rest = Data(rest[rest.index(after: end)...])
          }
        }
        if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
        continuation.finish()
      }
      thread.start()
    }
  }
}
