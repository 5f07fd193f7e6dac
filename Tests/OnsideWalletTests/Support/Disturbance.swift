import Foundation
import Testing

/// A PIN change, killed or made to fail at each of its system calls by strace.
struct Disturbance {
  let withVault: Bool
  /// Of the wallet's process.
  var environment: [String: String] = [:]
  /// After each change that was disturbed.
  var afterwards: @Sendable () async throws -> Void = {}

  static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")

  /// At the call of each number in turn that the change makes, from the taking of the lock on.
  func run(_ call: String, with fault: String) async throws {
    let first = try Trace(of: call, self)
    #expect(first.outcome == "ok")
    for number in first.before + 1..<max(first.before + 1, first.count + 1) {
      let wallet = try Wallet(self)
      let inject = [
        "strace", "-f", "-o", wallet.log, "-e", "trace=\(call)", "-e", "inject=\(call):\(fault):when=\(number)",
      ]
      let outcome = try wallet.process.run("change", "908172", "271809", under: inject)
      // Otherwise nothing was disturbed, and the rest proves nothing. On a busy machine a pipe is read in fewer pieces.
      let isOver = try wallet.mostCalls(call) < number
      #expect(outcome.isEmpty || isOver || !fault.hasPrefix("signal=KILL"), "\(call) \(number): \(outcome)")
      try await afterwards()
      let logins = try wallet.process.run(each: ["sign-in", "908172"], ["sign-in", "271809"])
      #expect(
        logins.sorted() == ["invalidPin", "ok"] || logins.sorted() == ["ok", "outdated"],
        "\(call) \(number): \(outcome), old PIN and new PIN: \(logins)")
      if outcome == "ok" { #expect(logins.last == "ok", "\(call) \(number)") }
      // The remains of this change do not prevent the next one.
      let current = logins.first == "ok" ? "908172" : "271809"
      let next = try wallet.process.run(
        each: ["change", current, "314152"], ["sign-in", "314152"], ["sign-in", current])
      #expect(next == ["ok", "ok", "invalidPin"], "\(call) \(number)")
    }
  }

  /// A wallet with the PIN 908172, in a folder of its own.
  private final class Wallet {
    let process: WalletProcess

    init(_ disturbance: Disturbance) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "disturbed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      process = WalletProcess(
        folder: folder, vault: disturbance.withVault ? MemoryVault() : nil, environment: disturbance.environment)
      let result = try process.run("sign-up", "908172")
      #expect(result == "ok")
    }

    deinit { try? FileManager.default.removeItem(at: process.folder) }

    /// Where strace writes the calls.
    var log: String { process.folder.appending(path: "trace").path(percentEncoded: false) }

    /// How often the thread that made a call most often has made it, of a log that names threads (`strace -f`).
    func mostCalls(_ call: String) throws -> Int {
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
        $0.split(separator: " ")
      }
      let threads = lines.filter { $0.count > 1 && $0[1].hasPrefix("\(call)(") }.map { $0[0] }
      return Dictionary(grouping: threads) { $0 }.values.map(\.count).max() ?? 0
    }
  }

  /// How often the main thread of an undisturbed change makes a call: before it takes the wallet's lock, and in all.
  private struct Trace {
    let before: Int
    let count: Int
    let outcome: String

    init(of call: String, _ disturbance: Disturbance) throws {
      let wallet = try Wallet(disturbance)
      outcome = try wallet.process.run(
        "change", "908172", "271809", under: ["strace", "-o", wallet.log, "-e", "trace=\(call),flock"])
      let lines = try String(contentsOfFile: wallet.log, encoding: .utf8).split(separator: "\n")
      let lock = lines.firstIndex { $0.hasPrefix("flock(") } ?? 0
      let isCall = { (line: Substring) in line.hasPrefix("\(call)(") }
      before = lines[..<lock].count(where: isCall)
      count = lines.count(where: isCall)
    }
  }
}
