import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import StoreBase
import StorePayments
import StoreSales

/// What the operator and the app's server do for offers.
extension TestedSystem {
  /// A code that so many accounts may use; in a local store the offer's name.
  func makeCode(limit: Int64 = 100) async throws -> String {
    guard local == nil else { return ExampleOffers.code.id }
    return try await operate {
      try await $0.offerCodes.createCustom(
        "SPRING26", limit: limit, product: ExampleProducts.monthly, offer: ExampleOffers.code.id, of: Self.app,
        expiresAt: nil
      ).text
    }
  }

  /// Adds the key of the app's server, which signs promotional offers.
  func makeOfferSigner() async throws -> OfferSigner {
    let signer = OfferSigner()
    _ = try await operate { try await $0.offerKeys.add(signer.publicKey, id: OfferSigner.name, to: Self.app) }
    return signer
  }

  /// Lets a bank refuse, or take again, the cards of a user.
  func setCards(of user: SimulatedUser, to card: SandboxCard) async throws {
    let account = try await account(of: user).id.description
    _ = try await operate { core in
      try await core.dependencies.database.write { transaction in
        try transaction.execute(
          "UPDATE payment_methods SET reference = $1 WHERE account_id = $2", [.text(card.rawValue), .text(account)])
      }
    }
  }
}

/// The app's server, which signs promotional offers for its users.
struct OfferSigner: Sendable {
  /// What is signed, as `docs/offers.md` says.
  private struct Claims: Encodable {
    var app = TestedSystem.app
    var product = ExampleProducts.monthly
    let offer: String
    let account: String
    var nonce = UUID().uuidString
    var iat = Int64(Date().timeIntervalSince1970)
  }

  static let name = "2026"
  private let key = P256.Signing.PrivateKey()

  var publicKey: String { key.publicKey.pemRepresentation }

  /// An offer for a purchase of one user.
  func offer(_ id: String = ExampleOffers.promotional.id, for user: String) throws -> OnsidePaymentOffer {
    let payload = try JSONEncoder().encode(Claims(offer: id, account: user))
    let text = Base64URL.encode(#"{"alg":"ES256","kid":"\#(Self.name)"}"#.utf8) + "." + Base64URL.encode(payload)
    let signature = try key.signature(for: Data(text.utf8)).rawRepresentation
    return OnsidePaymentOffer(offerIdentifier: id, signature: "\(text).\(Base64URL.encode(signature))")
  }
}
