import Foundation
import OnsideKit
import OnsideWallet
import Stellar

// The example of Login.md; script/check-samples compares.
func screens(
  _ wallet: AuthService, account: String, redirect: URL, askForPIN: @escaping @Sendable () async throws -> PIN
) -> WalletPresenter {
  WalletPresenter(
    account: account, country: "NL", redirect: redirect, others: SystemBrowserPresenter()
  ) { challenge in
    let rules = try WebAuthentication(
      homeDomain: challenge.homeDomain, information: StellarInformation(challenge.information), network: .public)
    let pin = try await askForPIN()
    return try await wallet.withSigningKey(pin: pin) { key in
      try rules.sign(
        challenge.transaction, for: MuxedAccount(challenge.account), with: key,
        now: UInt64(Date().timeIntervalSince1970))
    }
  }
}
