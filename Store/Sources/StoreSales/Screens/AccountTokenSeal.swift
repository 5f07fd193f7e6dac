import Crypto
import Foundation
import OnsideAPI
import StoreAccounts
package import StoreBase
import StoreWeb

/// Seals the app's token for its user (`app_account_token`) into the address of a hosted page.
///
/// The token is encrypted, because addresses are kept in histories and logs. It is bound to the account and the app: in
/// the address of another account it cannot be opened, so that no link makes a buyer pay for somebody else's user.
package struct AccountTokenSeal: Sendable {
  private let keys: VersionedKey<SymmetricKey>
  private let random: any RandomSource

  package init(secrets: StoreSecrets, random: any RandomSource) {
    keys = secrets.keys(for: "page-account-token")
    self.random = random
  }

  func sealed(_ token: String, for customer: Customer) throws -> String {
    let box = try AES.GCM.seal(
      Data(token.utf8), using: keys.current, nonce: AES.GCM.Nonce(data: random.bytes(12)),
      authenticating: Self.context(customer))
    // The combined form is missing for other nonce lengths only.
    return Base64URL.encode(Array(box.combined ?? Data()))
  }

  /// The token of a hosted page's address; nil for an address without one.
  func token(of page: PageReturn, for customer: Customer) throws(PageProblem) -> String? {
    guard let text = page.buyer else { return nil }
    guard let bytes = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes),
      let opened = keys.first({ try? AES.GCM.open(box, using: $0, authenticating: Self.context(customer)) }),
      let token = String(validating: opened, as: UTF8.self)
    else { throw .form }
    return token
  }

  private static func context(_ customer: Customer) -> Data { Data("\(customer.app)\n\(customer.account)".utf8) }
}
