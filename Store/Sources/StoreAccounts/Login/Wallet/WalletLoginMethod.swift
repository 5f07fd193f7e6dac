package import Hummingbird
import OnsideAPI
import Stellar
package import StoreWeb

/// The login method with a Stellar wallet.
package struct WalletLoginMethod: LoginMethod {
  package let responder: PageResponder

  package init(responder: PageResponder) {
    self.responder = responder
  }

  package var id: String { "wallet" }
  package func name(_ texts: Texts) -> String { texts[.walletName] }
  package func label(_ texts: Texts) -> String { texts[.walletContinue] }
  package func proves(_ identity: FederatedIdentity) -> Bool { identity.kind == .stellar }

  package func begin(_ attempt: LoginAttempt, for visit: PageVisit) async throws -> Response {
    responder.redirect(to: "/login/\(attempt.id)/wallet", visit)
  }
}

extension FederatedIdentity.Kind {
  /// By a Stellar account's key.
  static let stellar = FederatedIdentity.Kind("stellar")
}

extension WebChallenge {
  /// The identity of the challenge's signer. The issuer is the network, by the hash of its passphrase: the same account
  /// on another network is another identity.
  func identity(on network: Network) -> Identity? {
    let issuer = Hexadecimal.encode(network.id)
    return FederatedIdentity(kind: .stellar, issuer: issuer, subject: subject).map(Identity.federated)
  }

  /// The masked account, for pages.
  var masked: String { "\(client.text.prefix(4))…\(client.text.suffix(4))" }
}
