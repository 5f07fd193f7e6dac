import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import Stellar
import StoreBase
import Testing

/// A wallet that logs in to the store without a page (SEP-10).
private struct Wallet: Sendable {
  let pair = SigningKeyPair.random()
  /// The transaction that was signed last.
  let signed = Observed("")

  /// Answers a login screen with a signed challenge; throws if the wallet refuses the challenge.
  func logIn(
    _ visit: Visit, country: String? = "NL", domain: String? = nil, network: Stellar.Network = .test,
    later: TimeInterval = 0, replaying old: String? = nil, signingFor foreign: Stellar.Network? = nil
  ) async throws -> ScreenOutcome {
    let address = visit.address
    let presenter = WalletPresenter(
      account: pair.address, country: country, redirect: visit.redirect, others: visit.user
    ) { challenge in
      if let old { return old }
      do {
        if let foreign {
          var envelope = try TransactionEnvelope(base64: challenge.transaction)
          try envelope.sign(with: pair, on: foreign)
          return envelope.base64
        }
        let web = try WebAuthentication(
          homeDomain: domain ?? challenge.homeDomain, information: StellarInformation(challenge.information),
          network: network)
        let text = try web.sign(
          challenge.transaction, for: MuxedAccount(challenge.account), with: pair,
          now: UInt64(Date().timeIntervalSince1970 + later))
        signed.change { $0 = text }
        return text
      } catch {
        throw ScreenPresentationError("refused: \(error)")
      }
    }
    return try await presenter.present(.login) { _ in address }
  }
}

@MainActor
@Suite("Wallets", .serialized, .timeLimit(.minutes(5)))
struct WalletTests {
  @Test(
    "WAL-11: a wallet logs in to the store, twice to the same account, and no page is shown",
    .columns(.store, because: "wallets log in to the store's pages"))
  func logIn() async throws {
    try await TestedSystem.run { system in
      let (wallet, user) = (Wallet(), system.user())
      for _ in 0..<2 {
        let device = try await system.device(of: user)
        user.next(.login) { try await wallet.logIn($0) }
        try await device.client.login()
        #expect(device.app.storefronts == ["NL"])
      }
      let accounts = try await system.core.dependencies.database.read {
        try $0.rows("SELECT DISTINCT account_id FROM sessions").count
      }
      #expect(accounts == 1)
    }
  }

  @Test(
    "WAL-11: the first login of a wallet needs a country, a later one does not",
    .columns(.store, because: "wallets log in to the store's pages"))
  func country() async throws {
    try await TestedSystem.run { system in
      let (wallet, user) = (Wallet(), system.user())
      let device = try await system.device(of: user)
      user.next(.login) { try await wallet.logIn($0, country: nil) }
      await #expect(throws: (any Error).self) { try await device.client.login() }
      #expect(device.app.storefronts.isEmpty)
      for country in ["NL", nil] {
        let device = try await system.device(of: user)
        user.next(.login) { try await wallet.logIn($0, country: country) }
        try await device.client.login()
        #expect(device.app.storefronts == ["NL"])
      }
    }
  }

  @Test(
    "WAL-11: a wallet does not sign a challenge that is expired, of another domain or for another network",
    .columns(.store, because: "wallets log in to the store's pages"))
  func walletRefuses() async throws {
    try await TestedSystem.run { system in
      let (wallet, user) = (Wallet(), system.user())
      let device = try await system.device(of: user)
      let refusals: [SimulatedUser.Act] = [
        { try await wallet.logIn($0, later: 901) }, { try await wallet.logIn($0, domain: "store.example") },
        { try await wallet.logIn($0, network: .public) },
      ]
      for refusal in refusals {
        user.next(.login, refusal)
        await #expect(throws: (any Error).self) { try await device.client.login() }
        #expect(wallet.signed.value.isEmpty && device.app.storefronts.isEmpty)
      }
    }
  }

  @Test(
    "WAL-11: the store refuses a challenge that has served, and one signed for another network",
    .columns(.store, because: "wallets log in to the store's pages"))
  func storeRefuses() async throws {
    try await TestedSystem.run { system in
      let (wallet, user) = (Wallet(), system.user())
      let first = try await system.device(of: user)
      user.next(.login) { try await wallet.logIn($0) }
      try await first.client.login()
      let second = try await system.device(of: user)
      let served = wallet.signed.value
      let refusals: [SimulatedUser.Act] = [
        { try await wallet.logIn($0, replaying: served) }, { try await wallet.logIn($0, signingFor: .public) },
      ]
      for refusal in refusals {
        user.next(.login, refusal)
        await #expect(throws: (any Error).self) { try await second.client.login() }
        #expect(second.app.storefronts.isEmpty)
      }
    }
  }
}
