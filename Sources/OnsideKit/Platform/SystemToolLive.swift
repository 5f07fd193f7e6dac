#if os(Linux) || os(macOS)
  import Foundation
  import Synchronization

  /// Programs that every desktop has. Arguments are arguments, never part of a shell line. When the task is cancelled they
  /// go on.
  enum SystemTool {
    /// Runs a program to its end; whether it says that all went well.
    static func run(_ program: String, _ arguments: [String]) async -> Bool {
      await status(of: program, arguments, output: FileHandle.nullDevice)
    }

    /// What a program writes in one line or none; nil when it fails or is missing.
    static func output(_ program: String, _ arguments: [String]) async -> String? {
      let pipe = Pipe()
      guard await status(of: program, arguments, output: pipe) else { return nil }
      // What fits into a pipe; nothing waits for more.
      let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func status(of program: String, _ arguments: [String], output: Any) async -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [program] + arguments
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
