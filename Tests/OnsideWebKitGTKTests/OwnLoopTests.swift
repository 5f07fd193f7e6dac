import Foundation
import Testing

@Suite("An app with a GTK loop of its own", .needsDisplay, .timeLimit(.minutes(5)))
struct OwnLoopTests {
  @Test("its loop serves the main actor and the bridge; pages come from its folder")
  func page() async throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gtk-loop-app")
    let process = Process()
    process.executableURL = program
    let output = Pipe()
    process.standardOutput = output
    let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    let text = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
    #expect(text == "[]\n")
    #expect(status == 0)
  }
}
