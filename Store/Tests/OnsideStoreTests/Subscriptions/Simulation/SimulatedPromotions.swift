import Foundation

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

/// The app's server, which signs promotional offers for its users, and a forger who has what must not be taken.
struct SimulatedPromotions: Sendable {
  /// What is wrong with a signature.
  enum Fault: String, Sendable, CaseIterable {
    case otherKey = "by another key"
    case old = "two days old"
    case otherUser = "for another user"
    case otherPlan = "for another plan"
    case used = "used before"
  }

  let server = TestOfferSigner()
  let forger = TestOfferSigner()
  /// The nonces with which orders were made.
  private var used: [String] = []

  /// The server's own name for a buyer.
  static func user(_ buyer: Int) -> String { "user-\(buyer + 1)" }

  /// Signs an offer of a plan for one order of a buyer.
  ///
  /// - Parameter nonce: used once, unless that is the fault.
  func sign(
    _ offer: String, of plan: String, for buyer: Int, nonce: String, fault: Fault?, at now: Date
  ) throws -> String {
    let claims = OfferSignature.Claims(
      app: TestShop.app.id, product: fault == .otherPlan ? "small" : plan, offer: offer,
      account: Self.user(fault == .otherUser ? buyer + 1 : buyer),
      nonce: fault == .used ? used.last ?? "short" : nonce,
      iat: Int64(now.timeIntervalSince1970) - (fault == .old ? 2 * 86_400 : 0))
    return try (fault == .otherKey ? forger : server).sign(claims)
  }

  mutating func use(_ nonce: String) { used.append(nonce) }
}
