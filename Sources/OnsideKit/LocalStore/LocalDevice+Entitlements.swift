import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify

extension LocalDevice {
  /// The name of every app in the lists of a local store.
  static let app = "onside-local-testing"

  /// What an account may use, signed as a store signs it, so that it is kept and verified in the same way; each answer
  /// with a key of its own.
  func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements {
    let list = try await call(of: account) { shop, account, now throws(StoreError) in
      try shop.check(account)
      return shop.entitlements(of: account, at: now)
    }
    do { return SignedEntitlements(list, proof: try EntitlementProof(signing: list)) } catch {
      throw .internalError("expected to sign what the account may use: \(error)")
    }
  }
}

extension EntitlementProof {
  /// Signs a list with a new key.
  fileprivate init(signing list: EntitlementList) throws {
    let key = P256.Signing.PrivateKey()
    let header = #"{"alg":"ES256","kid":"local","typ":"\#(EntitlementList.type)"}"#
    let payload = try TransactionHistory.encoder.encode(list)
    let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload))
    let signature = try key.signature(for: Data(message.utf8)).rawRepresentation
    let point = Array(key.publicKey.rawRepresentation)
    let (x, y) = (Base64URL.encode(Array(point.prefix(32))), Base64URL.encode(Array(point.suffix(32))))
    self.init(
      list: message + "." + Base64URL.encode(Array(signature)),
      keys: Data(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"local","x":"\#(x)","y":"\#(y)"}]}"#.utf8))
  }
}
