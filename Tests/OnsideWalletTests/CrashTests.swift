import Foundation
import Testing

@Suite("A process that crashes")
struct CrashTests {
  @Test("WAL-10 leaves no core file while it holds the key")
  func noCore() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = WalletProcess(folder: folder, vault: nil)
    #expect(try process.run("sign-up", "908172") == "ok")
    let dumps = ["sh", "-c", "ulimit -c unlimited 2>/dev/null; cd \"$2\"; \"$@\" 2>&1; echo status $?", "sh"]
    // 134 is SIGABRT: it ended inside the loan of the key, and not before.
    #expect(try process.run("crash", "908172", under: dumps).hasSuffix("status 134"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    #expect(!files.contains { $0.hasPrefix("core") })
  }
}
