package import Foundation
package import OnsideAPI
import OnsideVerify

extension RemoteStore {
  package func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements {
    guard let signedIn = vault.current?.signedIn else { throw .notSignedIn }
    guard signedIn.accountID == account else { throw .connection }
    let body = try await authorizedAnswer(StoreConnection.Call(.entitlements))
    let list = String(decoding: body, as: UTF8.self)
    if let keys, let known = try verified(EntitlementProof(list: list, keys: keys), of: account) { return known }
    let proof = EntitlementProof(list: list, keys: try await connection.answer(StoreConnection.Call(.jwks)))
    guard let known = try verified(proof, of: account) else {
      throw .internalError("expected entitlements signed with a key of \(Route.jwks.path), got another key's")
    }
    return known
  }

  /// The list of a proof; nil when it is signed with a key that is not among the proof's: the store may have another
  /// one by now.
  private func verified(
    _ proof: EntitlementProof, of account: AccountID
  ) throws(StoreError) -> SignedEntitlements? {
    do {
      return SignedEntitlements(try proof.verified(for: account, app: connection.app), proof: proof)
    } catch let error as VerificationError where error.code == .unknownKey {
      return nil
    } catch {
      throw .internalError("expected a signed list of entitlements from \(Route.entitlements.path): \(error)")
    }
  }
}
