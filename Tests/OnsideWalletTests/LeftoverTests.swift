import Foundation
import OnsideWallet
import Testing

/// Changes and destructions, killed at each of their system calls, and what lies on the disk afterwards.
@Suite(
  "What a killed process leaves behind", .timeLimit(.minutes(10)),
  .enabled(if: Disturbance.isPossible, "sudo apt-get install strace"))
struct LeftoverTests {
  private let folder: URL
  private let process: WalletProcess
  private let secrets: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "leftover-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = WalletProcess(folder: folder, vault: MemoryVault())
    secrets = folder.appending(path: "secrets")
  }

  private func left() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: secrets.path(percentEncoded: false))) ?? []
  }

  private func kill(_ call: String, number: Int, words: String...) throws -> String {
    let inject = ["strace", "-f", "-o", "/dev/null", "-e", "inject=/^\(call):signal=KILL:when=\(number)"]
    switch words.count {
    case 1: return try process.run(words[0], under: inject)
    default: return try process.run(words[0], words[1], words[2], under: inject)
    }
  }

  @Test(
    "WAL-7: after a killed change the next call leaves one device secret", arguments: ["rename", "fsync", "unlink"])
  func change(call: String) throws {
    let result = try process.run("sign-up", "908172")
    #expect(result == "ok")
    for number in 1...20 {
      let isOver = try kill(call, number: number, words: "change", "908172", "271809") == "ok"
      let pin = try process.run("sign-in", "908172") == "ok" ? "908172" : "271809"
      let secondResult = try process.run("change", pin, "908172")
      #expect(secondResult == "ok", "\(call) \(number)")
      #expect(left().count == 1, "\(call) \(number): \(left())")
      if isOver { break }
    }
    try? FileManager.default.removeItem(at: folder)
  }

  @Test(
    "WAL-7: after a killed change, or a killed destruction, destroying leaves no secret",
    arguments: ["rename", "unlink"])
  func destroy(call: String) throws {
    for number in 1...20 {
      let result = try process.run("sign-up", "908172")
      #expect(result == "ok")
      let isChanged = try kill(call, number: number, words: "change", "908172", "271809") == "ok"
      let isDestroyed = try kill(call, number: number, words: "destroy") == "ok"
      let secondResult = try process.run("destroy")
      #expect(secondResult == "ok")
      #expect(left().isEmpty, "\(call) \(number): \(left())")
      let items = try FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: "item").path(percentEncoded: false))
      #expect(items == ["wallet.lock"], "\(call) \(number)")
      if isChanged && isDestroyed { break }
    }
    try? FileManager.default.removeItem(at: folder)
  }
}
