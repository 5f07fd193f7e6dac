package import Foundation
package import OnsideAPI
import OnsideCommerce
import OnsideVerify

extension RemoteStore {
  package func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements {
    guard let signedIn = vault.current?.signedIn else { throw .notSignedIn }
    // Another process has changed the session: the caller asks again when it has learned of the new account.
    guard signedIn.accountID == account else { throw .connection }
    // The answer repeats it. A recorded answer that is played again has another one.
    let nonce = Base64URL.encode(dependencies.randomBytes(16))
    var call = StoreConnection.Call(.entitlements)
    call.query = [(name: "nonce", value: nonce)]
    let body = try await authorizedAnswer(call)
    let list = String(decoding: body, as: UTF8.self)
    if let keys, let known = try verified(EntitlementProof(list: list, keys: keys), of: account, nonce: nonce) {
      return known
    }
    let proof = EntitlementProof(list: list, keys: try await connection.answer(StoreConnection.Call(.jwks)))
    guard let known = try verified(proof, of: account, nonce: nonce) else {
      throw .internalError("expected entitlements signed with a key of \(Route.jwks.path), got another key's")
    }
    return known
  }

  /// The list of a proof; nil when it is signed with a key that is not among the proof's: the store may have another
  /// one by now.
  private func verified(
    _ proof: EntitlementProof, of account: AccountID, nonce: String
  ) throws(StoreError) -> SignedEntitlements? {
    do {
      let list = try proof.verified(for: account, app: connection.app)
      guard list.nonce == nonce else {
        throw StoreError.notTheStore("expected a list for this request, got an older one")
      }
      return SignedEntitlements(list, proof: proof)
    } catch let error as VerificationError where error.code == .unknownKey {
      return nil
    } catch let error as StoreError {
      throw error
    } catch {
      throw .internalError("expected a signed list of entitlements from \(Route.entitlements.path): \(error)")
    }
  }
}
