import ConformanceTable
import Foundation
import OnsideAPI
import OnsideStore
import OnsideWallet
import Stellar
import StoreTestSupport
import Synchronization
import Testing

/// A wallet and its vault over a network that loses, doubles, delays and reorders, by a seed. One at a time: a wallet's
/// calls hold a thread of Dispatch each, of which the machine gives as many as it has processors, for tasks, too.
@Suite("Wallets over a bad network", .serialized, .timeLimit(.minutes(10)))
struct WalletNetworkTests {
  private static let reason = "there is a network between a wallet and the store's vault"

  /// The same for the same seed, as long as requests come in the same order.
  private static func faultInjection(_ seed: UInt64) -> @Sendable (FaultProxy.Request) -> FaultProxy.Fault? {
    let random = SeededFaults(seed: seed)
    return { $0.path.hasPrefix("/v1/vault/") ? random.next() : nil }
  }

  @Test(
    "WAL-6, WAL-7: whatever the network does to sign up, sign in and PIN changes, exactly one PIN opens afterwards",
    .columns(.store, because: reason), arguments: 1...8 as ClosedRange<UInt64>)
  @MainActor
  func onePIN(seed: UInt64) async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      let pair = SigningKeyPair.random()
      system.network.faultInjection.withLock { $0 = Self.faultInjection(seed) }
      let first = "90817\(seed)"
      var pins = [first]
      while await VaultedWallet.outcome(of: { try await wallet.service().signUp(userKeyPair: pair, pin: PIN(first)) })
        != "ok"
      {
        #expect(try !wallet.service().userIsSignedUp, "a sign up that failed leaves nothing")
      }
      for round in 0..<4 {
        let (old, new) = (await current(pins, of: wallet, in: system), "7182\(seed)\(round)")
        pins.append(new)
        let outcome = await VaultedWallet.outcome {
          try await wallet.service().changePIN(from: PIN(old), to: PIN(new))
        }
        #expect(["ok", "vaultUnreachable", "wait"].contains(outcome), "round \(round): \(outcome)")
      }
      // What is still on its way arrives before the last look.
      system.network.faultInjection.withLock { $0 = nil }
      await system.network.deliverLate()
      var opening: [String] = []
      for pin in pins {
        try await system.advanceClock(seconds: 100_000)
        let outcome = await wallet.outcome(of: pin)
        if outcome == "ok" { opening.append(pin) } else { #expect(outcome == "invalidPin") }
      }
      #expect(opening.count == 1, "\(opening)")
      try await system.advanceClock(seconds: 100_000)
      let signIn = try await wallet.service().signIn(pin: PIN(opening.first ?? ""))
      #expect(signIn == pair.address)
    }
  }

  /// The PIN that opens now, over a network that is quiet for the while.
  @MainActor
  private func current(_ pins: [String], of wallet: VaultedWallet, in system: TestedSystem) async -> String {
    let faultInjection = system.network.faultInjection.withLock { faultInjection in
      defer { faultInjection = nil }
      return faultInjection
    }
    defer { system.network.faultInjection.withLock { $0 = faultInjection } }
    for pin in pins.reversed() {
      try? await system.advanceClock(seconds: 100_000)
      if await wallet.outcome(of: pin) == "ok" { return pin }
    }
    Issue.record("no PIN opens")
    return ""
  }

  @Test(
    "WAL-6: no more tries are counted than a wallet made, whatever the network does to them",
    .columns(.store, because: reason), arguments: 11...18 as ClosedRange<UInt64>)
  @MainActor
  func count(seed: UInt64) async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      _ = try await wallet.service().signUp(userKeyPair: .random(), pin: PIN("908172"))
      let triesLeft = try await wallet.triesLeft()
      #expect(triesLeft == 10)
      let before = system.network.count(.call(.vaultEvaluate))
      system.network.faultInjection.withLock { $0 = Self.faultInjection(seed) }
      for guess in 0..<3 {
        let outcome = await wallet.outcome(of: "40030\(guess)")
        #expect(["invalidPin", "vaultUnreachable", "wait"].contains(outcome), "\(outcome)")
      }
      system.network.faultInjection.withLock { $0 = nil }
      await system.network.deliverLate()
      let made = system.network.count(.call(.vaultEvaluate)) - before
      let left = try #require(try await wallet.triesLeft())
      #expect(10 - left <= made, "\(10 - left) counted, \(made) made")
      try await system.advanceClock(seconds: 100_000)
      let actualOutcome = await wallet.outcome(of: "908172")
      #expect(actualOutcome == "ok")
      let secondTriesLeft = try await wallet.triesLeft()
      #expect(secondTriesLeft == 10)
    }
  }
}

/// Half of the requests arrive as they are; the others are lost, lose their answers, arrive twice or late.
private final class SeededFaults: Sendable {
  private let random: Mutex<SplitMix64>

  init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  func next() -> FaultProxy.Fault? {
    random.withLock { random in
      switch random.next() % 10 {
      case 0: .refuse
      case 1: .loseAnswer
      case 2: .twice
      case 3: .twiceAnsweringFirst
      case 4: .late(Int(random.next() % 4))
      default: nil
      }
    }
  }
}
