import Foundation
import JWTKit
import OnsideAPI
import OnsideCommerce

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a merchant's server does with a signed history: verifies it with the store's published keys, using a library
/// that was not written here.
struct HistoryCheck {
  let store: URL

  /// The orders of a history whose signature is right.
  func verify(_ jws: String) async throws -> [String] {
    try await purchases(jws).map { $0.orderID.uuidString.lowercased() }
  }

  /// The purchases of a history whose signature is right.
  func purchases(_ jws: String) async throws -> [InAppPurchase] {
    try await keys().verify(jws, as: Payload.self).transactions
  }

  /// Changes one character of the payload and expects a refusal.
  func refuseForgery(of jws: String) async throws {
    var parts = jws.split(separator: ".").map(String.init)
    guard parts.count == 3 else { throw DemoFailure("a compact JWS has three parts, this one \(parts.count)") }
    parts[1] = String(parts[1].dropLast()) + (parts[1].hasSuffix("A") ? "B" : "A")
    let forged = parts.joined(separator: ".")
    let accepted = try? await keys().verify(forged, as: Payload.self)
    guard accepted == nil else { throw DemoFailure("a forged history was accepted") }
  }

  private func keys() async throws -> JWTKeyCollection {
    let address = store.appending(path: Route.jwks.path)
    let (data, _) = try await URLSession.shared.data(from: address)
    let collection = JWTKeyCollection()
    try await collection.add(jwksJSON: String(decoding: data, as: UTF8.self))
    return collection
  }

  private struct Payload: JWTPayload {
    let transactions: [InAppPurchase]

    init(from decoder: any Decoder) throws {
      transactions = try TransactionHistory(from: decoder).transactions
    }

    func encode(to encoder: any Encoder) throws {
      try TransactionHistory(transactions: transactions).encode(to: encoder)
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }
}
