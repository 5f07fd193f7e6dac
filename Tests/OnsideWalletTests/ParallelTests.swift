import Dispatch
import Foundation
import OnsideWallet
import Stellar
import Synchronization
import Testing

@Suite("Many processes at once", .timeLimit(.minutes(20)))
struct ParallelTests {
  @Test("WAL-6 Two hundred processes with wrong PINs get four tries, like one")
  func wrongPINs() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "parallel-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = WalletProcess(folder: folder, vault: MemoryVault())
    let result = try process.run("sign-up", "908172")
    #expect(result == "ok")
    let outcomes = await withTaskGroup(of: String.self) { group in
      for guess in 0..<200 { group.addTask { await runDetached(process, with: String(100_000 + guess)) } }
      return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    // The first four may be made at once; the wait begins with the fourth.
    #expect(outcomes == ["invalidPin": 4, "wait": 196])
    process.vault?.advance(by: 60)
    let secondResult = try process.run("sign-in", "908172")
    #expect(secondResult == "ok")
  }

  /// On a thread of its own: all of them wait at the same time.
  private func runDetached(_ process: WalletProcess, with pin: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: (try? process.run("sign-in", pin)) ?? "not started") }
    }
  }

  @Test("WAL-1 Of many sign ups at once one is made")
  func signUps() async throws {
    let wallet = try TestWallet(vault: MemoryVault())
    let folder = wallet.folder
    let vault = wallet.vault
    let outcomes = await withTaskGroup(of: String.self) { group in
      for pin in 0..<20 {
        group.addTask {
          let service = TestWallet.service(folder, vault: vault, settings: .small)
          do {
            _ = try await service.signUp(userKeyPair: .random(), pin: PIN(String(pin)))
            return "ok"
          } catch {
            return (error as? WalletError)?.kind.name ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(outcomes == ["ok": 1, "alreadySignedUp": 19])
  }
}
