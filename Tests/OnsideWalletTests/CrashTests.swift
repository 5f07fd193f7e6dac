import Foundation
import Testing

@Suite("A process that crashes", .timeLimit(.minutes(5)))
struct CrashTests {
  @Test("WAL-10: leaves no core file while it holds the key; a process that is not hardened does")
  func noCore() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = WalletProcess(folder: folder, vault: nil)
    let result = try process.run("sign-up", "908172")
    #expect(result == "ok")
    // Whether the kernel dumped is in the status, wherever it put the core.
    let dumps = ["sh", "-c", "ulimit -c unlimited 2>/dev/null; cd \"$2\" && exec \"$@\"", "sh"]
    let hardened = try process.status("crash", "908172", under: dumps)
    #expect(hardened & 0x7f == SIGABRT, "it ended inside the loan of the key, and not before")
    #expect(hardened & 0x80 == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    #expect(!files.contains { $0.hasPrefix("core") })
    guard canDump else { return print("NOT TRIED: core files are forbidden here (ulimit -Hc), so there is no control") }
    let soft = try process.status("crash-soft", "908172", under: dumps)
    #expect(soft & 0x7f == SIGABRT && soft & 0x80 != 0, "the control leaves a core: \(soft)")
  }

  private var canDump: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 && limit.rlim_max > 0
  }
}
