import Foundation
import OnsideKit
import OnsideWallet
import Stellar
import Testing

// The guide's example begins here; the test compares.
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
// It ends here.

@Suite("The guide to logins", .timeLimit(.minutes(5)))
struct LoginGuideTests {
  @Test("The guide's login with a wallet is compiled as it stands there")
  func compiled() throws {
    let here = URL(filePath: #filePath)
    let guide = here.deletingLastPathComponent().appending(path: "../../Sources/OnsideKit/OnsideKit.docc/Login.md")
    let text = try String(contentsOf: guide.standardized, encoding: .utf8)
    let block = try #require(text.firstMatch(of: /(?s)## With a wallet.*?```swift\n(.*?)```/)?.1)
    let source = try String(contentsOf: here, encoding: .utf8)
    let compiled = try #require(source.firstMatch(of: /(?s)begins here[^\n]*\n(.*?)\/\/ It ends here/)?.1)
    #expect(block == compiled)
  }
}
