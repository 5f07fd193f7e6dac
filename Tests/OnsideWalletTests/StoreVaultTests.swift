import Foundation
import OnsideAPI
import OnsideKit
import OnsideVault
import OnsideWallet
import Sodium
import Testing

@Suite("A store that is a vault, over HTTP", .timeLimit(.minutes(5)))
struct StoreVaultTests {
  @Test(
    "WAL-4: a vault that says an impossible time is refused like any other fault", arguments: [Int64.min, .max, -1])
  func impossibleTime(time: Int64) async throws {
    let server = try LoopbackServer(sleep: Dependencies.liveSleep)
    let problem = #"{"type":"","title":"Clock","status":409,"code":"vault_clock","server_time":\#(time)}"#
    let serving = Task {
      let _: Bool? = await server.run { _ in (LoopbackResponse(status: "409 Conflict", html: problem), nil) }
    }
    defer { serving.cancel() }
    let vault = try StoreVault(store: server.address("/"), deadline: 600)
    let device = try #require(VaultDeviceKey(seed: SecretBytes(random: 32, from: .system)))
    let enrolment = try #require(VaultEnrolmentID([UInt8](repeating: 1, count: 16)))
    let refusal = await #expect(throws: WalletError.self) {
      try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result { try vault.state(of: enrolment, by: device) }) }
      }
    }
    #expect(refusal?.kind == .vaultFault && refusal?.explanation.contains("vault_clock: Clock") == true)
  }
}
