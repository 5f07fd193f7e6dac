import Foundation
import OnsideWallet
import Testing

/// A PIN change, killed or made to fail at each of its system calls by strace.
@Suite(
  "A PIN change that is disturbed", .enabled(if: canTrace, "strace is missing (script/setup)"))
struct DisturbedChangeTests {
  static let calls = ["openat", "write", "fsync", "rename", "unlink", "read", "flock", "close"]

  @Test(
    "WAL-7 Killed at any system call, exactly one PIN opens afterwards",
    .timeLimit(.minutes(10)), arguments: calls, AuthServiceTests.ways)
  func killed(call: String, withVault: Bool) throws {
    try disturb(call, "signal=KILL", withVault: withVault)
  }

  @Test(
    "WAL-7 When a call fails, exactly one PIN opens afterwards",
    .timeLimit(.minutes(10)),
    arguments: ["fsync:error=EIO", "write:error=ENOSPC", "rename:error=EIO", "unlink:error=EIO"],
    AuthServiceTests.ways)
  func failing(fault: String, withVault: Bool) throws {
    let parts = fault.split(separator: ":").map(String.init)
    try disturb(parts[0], parts[1], withVault: withVault)
  }

  /// At the call of each number in turn that the change makes, from the taking of the lock on.
  private func disturb(_ call: String, _ fault: String, withVault: Bool) throws {
    let first = try Trace(of: call, withVault: withVault)
    #expect(first.outcome == "ok")
    for number in first.before + 1..<max(first.before + 1, first.count + 1) {
      let wallet = try Wallet(withVault: withVault)
      let inject = ["strace", "-f", "-o", "/dev/null", "-e", "inject=\(call):\(fault):when=\(number)"]
      let outcome = try wallet.process.run("change", "908172", "271809", under: inject)
      let old = try wallet.process.run("sign-in", "908172")
      let new = try wallet.process.run("sign-in", "271809")
      #expect(
        [old, new].sorted() == ["invalidPin", "ok"] || [old, new].sorted() == ["ok", "outdated"],
        "\(call) \(number): \(outcome), old PIN \(old), new PIN \(new)")
      if outcome == "ok" { #expect(new == "ok", "\(call) \(number)") }
      // What is left behind does not keep the next change from being made.
      let current = old == "ok" ? "908172" : "271809"
      #expect(try wallet.process.run("change", current, "314152") == "ok", "\(call) \(number)")
      #expect(try wallet.process.run("sign-in", "314152") == "ok", "\(call) \(number)")
      #expect(try wallet.process.run("sign-in", current) == "invalidPin", "\(call) \(number)")
    }
  }

  /// A wallet with the PIN 908172, in a folder of its own.
  private final class Wallet {
    let process: WalletProcess

    init(withVault: Bool) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "disturbed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      process = WalletProcess(folder: folder, vault: withVault ? MemoryVault() : nil)
      #expect(try process.run("sign-up", "908172") == "ok")
    }

    deinit { try? FileManager.default.removeItem(at: process.folder) }
  }

  /// How often the main thread of an undisturbed change makes a call: before it takes the wallet's lock, and in all.
  private struct Trace {
    let before: Int
    let count: Int
    let outcome: String

    init(of call: String, withVault: Bool) throws {
      let wallet = try Wallet(withVault: withVault)
      let log = wallet.process.folder.appending(path: "trace").path(percentEncoded: false)
      outcome = try wallet.process.run(
        "change", "908172", "271809", under: ["strace", "-o", log, "-e", "trace=\(call),flock"])
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      let lock = lines.firstIndex { $0.hasPrefix("flock(") } ?? 0
      let isCall = { (line: Substring) in line.hasPrefix("\(call)(") }
      before = lines[..<lock].count(where: isCall)
      count = lines.count(where: isCall)
    }
  }
}

let canTrace = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")
