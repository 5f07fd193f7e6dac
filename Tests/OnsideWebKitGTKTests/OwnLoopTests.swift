import Foundation
import Testing

@testable import OnsideKit

@Suite("An app with a GTK loop of its own", .needsDisplay, .timeLimit(.minutes(5)))
struct OwnLoopTests {
  @Test("its loop serves the main actor and the bridge; pages come from its folder")
  func page() async throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "gtk-loop-app")
    let output = await SystemTool(program.path).output()
    #expect(output == "[]")
  }
}
