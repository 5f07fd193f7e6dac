import Foundation
import OnsideWallet
import Testing

@Suite(
  "A PIN change that is disturbed", .enabled(if: Disturbance.isPossible, "strace is missing (script/setup)"),
  .timeLimit(.minutes(20)))
struct DisturbedChangeTests {
  static let calls = ["openat", "write", "fsync", "rename", "unlink", "read", "flock", "close"]

  @Test(
    "WAL-7 Killed at any call of eight system calls, exactly one PIN opens afterwards",
    arguments: calls, AuthServiceTests.ways)
  func killed(call: String, withVault: Bool) async throws {
    try await Disturbance(withVault: withVault).run(call, with: "signal=KILL")
  }

  @Test(
    "WAL-7 When a call fails, exactly one PIN opens afterwards",
    arguments: ["fsync:error=EIO", "write:error=ENOSPC", "rename:error=EIO", "unlink:error=EIO"],
    AuthServiceTests.ways)
  func failing(fault: String, withVault: Bool) async throws {
    let parts = fault.split(separator: ":").map(String.init)
    try await Disturbance(withVault: withVault).run(parts[0], with: parts[1])
  }
}
