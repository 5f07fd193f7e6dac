import Foundation

/// A program that runs beside this one, with its output as lines.
final class BenchProcess {
  /// The lines that it writes to standard output, until it ends.
  let lines: AsyncStream<String>
  private let process = Process()
  private let name: String

  /// Starts a program in a folder; its standard error goes to a file there.
  init(_ program: URL, arguments: [String], in folder: URL, environment: [String: String] = [:]) throws {
    name = program.lastPathComponent
    let output = Pipe()
    let errors = folder.appending(path: "\(name)-\(arguments.first ?? "").log")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    lines = Self.lines(of: output.fileHandleForReading)
    try process.run()
  }

  var id: Int32 { process.processIdentifier }

  /// Asks it to stop, as an operator does, and waits for its end.
  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  /// Kills the program: for one without unsaved data.
  func end() {
    kill(id, SIGKILL)
    process.waitUntilExit()
  }

  /// Runs a program to its end and gives its lines.
  static func run(
    _ program: URL, arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) async throws -> [String] {
    let child = try BenchProcess(program, arguments: arguments, in: folder, environment: environment)
    var lines: [String] = []
    for await line in child.lines { lines.append(line) }
    child.process.waitUntilExit()
    let status = child.process.terminationStatus
    guard status == 0 else {
      throw BenchFailure("\(child.name) \(arguments.joined(separator: " ")) ended with status \(status)")
    }
    return lines
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread {
        var rest = Data()
        while case let chunk = handle.availableData, !chunk.isEmpty {
          rest += chunk
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
            rest = Data(rest[rest.index(after: end)...])
          }
        }
        if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
        continuation.finish()
      }.start()
    }
  }
}
