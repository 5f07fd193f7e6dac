import Foundation

/// A program that runs beside a test; what it prints goes to files, so that no pipe fills up.
final class ChildProgram: Sendable {
  private let process: Process
  private let folder: Folder
  private let name = UUID().uuidString
  private let end: Task<Void, Never>

  init(_ program: URL, _ arguments: [String], in folder: Folder, environment: [String: String]) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONSIDE_") }
    variables.merge(environment) { $1 }
    process.environment = variables
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.file(folder, name + ".out")
    process.standardError = try Self.file(folder, name + ".err")
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in ended.finish() }
    end = Task { for await _ in ends {} }
    self.process = process
    self.folder = folder
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var output: String { folder.text(name + ".out") }
  var errors: String { folder.text(name + ".err") }
  var isRunning: Bool { process.isRunning }
  /// The exit status, or 128 and the signal that ended it.
  var status: Int32 { (process.terminationReason == .uncaughtSignal ? 128 : 0) + process.terminationStatus }

  func ended() async { await end.value }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until a line with a marker is on standard output and returns what follows the marker in it; nil when the
  /// program ends without.
  func line(after marker: String) async throws -> String? {
    while true {
      let isRunning = isRunning
      let line = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
        $0.contains(marker)
      }
      if let line, let range = line.range(of: marker) { return String(line[range.upperBound...]) }
      guard isRunning else { return nil }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func file(_ folder: Folder, _ name: String) throws -> FileHandle {
    let path = folder.path(name)
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return try FileHandle(forWritingTo: URL(filePath: path))
  }
}
