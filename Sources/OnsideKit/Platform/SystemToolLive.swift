#if os(Linux) || os(macOS)
  import Foundation

  /// A program that desktops have. Its arguments are arguments, never part of a shell line. When the task is cancelled it
  /// goes on.
  struct SystemTool {
    private let words: [String]
    private let environment: [String: String]?

    init(_ program: String, _ arguments: [String], _ environment: [String: String]? = nil) {
      words = [program] + arguments
      self.environment = environment
    }

    /// Runs it to its end; whether it says that all went well.
    func run() async -> Bool { await ends(FileHandle.nullDevice) }

    /// The few words that it writes; nil when it fails or is missing.
    func output() async -> String? {
      let pipe = Pipe()
      guard await ends(pipe) else { return nil }
      try? pipe.fileHandleForWriting.close()
      let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func ends(_ output: Any) async -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      if let environment { process.environment = environment }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
      process.terminationHandler = { ended.yield($0.terminationStatus == 0) }
      guard (try? process.run()) != nil else { return false }
      return await ends.first { _ in true } ?? true
    }
  }
#endif
