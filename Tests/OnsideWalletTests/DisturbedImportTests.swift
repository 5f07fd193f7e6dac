import Foundation
import OnsideWallet
import Testing

/// An import of an old item, killed at each of its system calls by strace.
@Suite(
  "An import that is disturbed", .enabled(if: Disturbance.isPossible, "strace is missing (script/setup)"),
  .timeLimit(.minutes(20))
)
struct DisturbedImportTests {
  /// The last good vector of `legacy.json`.
  private static let item =
    "wThnW9N8fkkxgmSr82N5Qg==;cfK0mONfrcwx6oeMFxJcdorJ9LcsqLAxSlrjeb2VtkwJxcCv4Xoko7LqikyviDkvln9GauDcgnbgLeyk7wVI3A=="
  private static let (oldPIN, newPIN) = ("908172", "718260")

  @Test(
    "WAL-8: Killed at any call of eight system calls, the old item is there or the new wallet opens; a second import ends it",
    arguments: DisturbedChangeTests.calls, AuthServiceTests.ways)
  func killed(call: String, withVault: Bool) throws {
    try disturb(call, with: "signal=KILL", withVault: withVault)
  }

  @Test(
    "WAL-8: When a call fails, the old item is there or the new wallet opens",
    arguments: ["fsync:error=EIO", "write:error=ENOSPC", "rename:error=EIO", "openat:error=EMFILE"],
    AuthServiceTests.ways)
  func failing(fault: String, withVault: Bool) throws {
    let parts = fault.split(separator: ":").map(String.init)
    try disturb(parts[0], with: parts[1], withVault: withVault)
  }

  private func disturb(_ call: String, with fault: String, withVault: Bool) throws {
    let (before, count) = try trace(call, withVault: withVault)
    for number in before + 1..<max(before + 1, count + 1) {
      let device = try Device(withVault: withVault)
      let inject = ["strace", "-f", "-o", "/dev/null", "-e", "inject=\(call):\(fault):when=\(number)"]
      let outcome = try device.process.run("import", Self.oldPIN, Self.newPIN, under: inject)
      let new = try device.process.run("sign-in", Self.newPIN)
      #expect(new == "ok" || new == "userNotFound" && device.hasOldItem, "\(call) \(number): \(outcome), new \(new)")
      if outcome == "ok" { #expect(new == "ok", "\(call) \(number)") }
      if device.hasOldItem {
        let again = try device.process.run("import", Self.oldPIN, Self.newPIN)
        #expect(again == (new == "ok" ? "alreadySignedUp" : "ok"), "\(call) \(number)")
      }
      let result = try device.process.run("sign-in", Self.newPIN)
      #expect(result == "ok", "\(call) \(number)")
    }
  }

  /// How often an undisturbed import makes a call: before it takes the wallet's lock, and in all.
  private func trace(_ call: String, withVault: Bool) throws -> (before: Int, count: Int) {
    let device = try Device(withVault: withVault)
    let log = device.process.folder.appending(path: "trace").path(percentEncoded: false)
    let outcome = try device.process.run(
      "import", Self.oldPIN, Self.newPIN, under: ["strace", "-o", log, "-e", "trace=\(call),flock"])
    #expect(outcome == "ok" && !device.hasOldItem)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let lock = lines.firstIndex { $0.hasPrefix("flock(") } ?? 0
    let isCall = { (line: Substring) in line.hasPrefix("\(call)(") }
    return (lines[..<lock].count(where: isCall), lines.count(where: isCall))
  }

  /// A folder with an old item.
  private final class Device {
    let process: WalletProcess

    init(withVault: Bool) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      process = WalletProcess(folder: folder, vault: withVault ? MemoryVault() : nil)
      try DisturbedImportTests.item.write(to: old, atomically: false, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(at: process.folder) }

    private var old: URL { process.folder.appending(path: "old.item") }
    var hasOldItem: Bool { FileManager.default.fileExists(atPath: old.path(percentEncoded: false)) }
  }
}
