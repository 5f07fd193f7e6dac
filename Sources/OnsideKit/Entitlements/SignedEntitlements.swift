package import Foundation
import OnsideAPI
package import OnsideCommerce
import OnsideVerify

/// A store's answer: what the account may use, and what proves it.
package struct SignedEntitlements: Hashable, Sendable {
  /// The list.
  package var list: EntitlementList
  /// What the store has signed, to be kept on disk.
  package var proof: EntitlementProof

  /// An answer.
  package init(_ list: EntitlementList, proof: EntitlementProof) {
    self.list = list
    self.proof = proof
  }
}

/// A list as the store has signed it, with the public keys that verify it.
package struct EntitlementProof: Hashable, Sendable {
  /// A compact JWS of an `EntitlementList`.
  package var list: String
  /// The store's key set (RFC 7517).
  package var keys: Data

  /// A proof.
  package init(list: String, keys: Data) {
    self.list = list
    self.keys = keys
  }

  /// The list, when it is signed by one of the keys, and of this app and account.
  func verified(for account: AccountID, app: String) throws -> EntitlementList {
    let keys = try JSONWebKeySet(jwks: keys)
    let payload = try keys.payload(of: list, type: EntitlementList.type)
    let list = try TransactionHistory.decoder.decode(EntitlementList.self, from: payload)
    guard list.bundleID == app, AccountID(subject: list.subject) == account.pairwise(in: app) else {
      throw EntitlementsOfOthers()
    }
    return list
  }
}

/// A list is of another account, or of another app.
struct EntitlementsOfOthers: Error, CustomStringConvertible {
  var description: String { "expected a list of entitlements of this account in this app, got another one's" }
}
