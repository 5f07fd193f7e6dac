import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct MerchantAuthorizationTests {
  @Test("MER-8: a request without a valid key is answered with 401 and the part of the key that is wrong")
  func rejections() async throws {
    let world = try await MerchantStore()
    let (key, other) = (try await world.key(), try await world.key())
    let secret = other.text.suffix(43)
    let cases: [(authorization: String?, detail: String)] = [
      (nil, "Expected the header Authorization"), ("Bearer x", "Expected the header Authorization"),
      ("Basic \(key.text)", "Expected the header Authorization"),
      ("Bearer onsk_0000000000000000_\(secret)", "There is no API key 0000000000000000"),
      ("Bearer onsk_\(key.id)_\(secret)", "The secret is not one of the API key \(key.id)"),
    ]
    try await world.store.test { client in
      for (authorization, detail) in cases {
        let response = try await world.order(authorization: authorization, with: client)
        let problem = try response.problem()
        #expect(response.status == .unauthorized)
        #expect(response.headers[.wwwAuthenticate] == "Bearer")
        #expect(problem.code == .invalidAPIKey)
        #expect(problem.detail?.hasPrefix(detail) == true, "\(problem.detail ?? "")")
        #expect(problem.detail?.contains(secret) == false)
      }
    }
  }

  @Test("MER-8: a key without the scope of the route is answered with 403 and the name of the scope")
  func scope() async throws {
    let world = try await MerchantStore()
    let key = try await world.key([.support, .finance])
    try await world.store.test { client in
      let response = try await world.order(authorization: "Bearer \(key.text)", with: client)
      let problem = try response.problem()
      #expect(response.status == .forbidden)
      #expect(problem.code == .forbidden)
      #expect(
        problem.detail == "Expected an API key with the scope read; \(key.id) has support,finance.")
    }
  }

  @Test("MER-8: the previous secret is accepted for 24 hours after a rotation; a removed key is rejected at once")
  func rotationAndRemoval() async throws {
    let world = try await MerchantStore()
    let old = try await world.key()
    let new = try #require(try await world.keys.rotate(old.id))
    try await world.store.test { client in
      func statuses() async throws -> [HTTPResponse.Status] {
        var all: [HTTPResponse.Status] = []
        for token in [old, new] {
          all.append(try await world.order(authorization: "Bearer \(token.text)", with: client).status)
        }
        return all
      }
      let within = try await statuses()
      #expect(within == [.notFound, .notFound])
      world.store.clock.advance(by: .seconds(24 * 3600))
      let after = try await statuses()
      #expect(after == [.unauthorized, .notFound])
      _ = try await world.keys.remove(old.id)
      let removed = try await statuses()
      #expect(removed == [.unauthorized, .unauthorized])
    }
  }

  @Test("MER-8: a key reads the orders of its app with the sequence of their events; those of another app are 404")
  func orders() async throws {
    let world = try await MerchantStore()
    let (key, other) = (try await world.key(), try await world.key(app: MerchantStore.otherApp))
    try await world.shopping { shopper in
      let client = shopper.client
      let paid = try await shopper.buy("remove_ads", token: "user-4711")
      let open = try await shopper.order("coins")
      let response = try await world.order(paid.id.description, authorization: "Bearer \(key.text)", with: client)
      #expect(response.status == .ok)
      let answer = try response.message(MerchantOrderMessage.self)
      guard case .object(let fields) = answer.order else {
        Issue.record("expected an object, got \(answer.order)")
        return
      }
      #expect(answer.sequence == 1)
      #expect(fields["order_id"] == .text(paid.id.description))
      #expect(fields["app_account_token"] == .text("user-4711"))
      #expect(fields["refunded"] == .integer(0))
      try await world.store.core.refunds.refund(paid.id.uuid, because: .refund)
      let refunded = try await world.order(paid.id.description, authorization: "Bearer \(key.text)", with: client)
        .message(MerchantOrderMessage.self)
      guard case .object(let refundedFields) = refunded.order else {
        Issue.record("expected an object, got \(refunded.order)")
        return
      }
      #expect(refunded.sequence > 1)
      #expect(refundedFields["refunded"] == .integer(499))
      for (id, token) in [
        (paid.id.description, other), (open.id.description, key), ("none", key),
      ] {
        let missing = try await world.order(id, authorization: "Bearer \(token.text)", with: client)
        let code = try missing.problem().code
        #expect(missing.status == .notFound && code == .notFound, "\(id)")
      }
    }
  }

  @Test("MER-8: requests of one key are limited; another key has a limit of its own")
  func limit() async throws {
    let world = try await MerchantStore { $0.limits.perKey = RateLimit(perSecond: 1, burst: 2) }
    let (key, other) = (try await world.key(), try await world.key())
    try await world.store.test { client in
      var statuses: [HTTPResponse.Status] = []
      for token in [key, key, key, other] {
        statuses.append(try await world.order(authorization: "Bearer \(token.text)", with: client).status)
      }
      #expect(statuses == [.notFound, .notFound, .tooManyRequests, .notFound])
    }
  }

  @Test("MER-8: rejected keys of one network are limited; a valid key is still accepted")
  func failures() async throws {
    let world = try await MerchantStore()
    let (key, other) = (try await world.key(), try await world.key())
    let wrong = "Bearer onsk_\(key.id)_\(other.text.suffix(43))"
    try await world.store.test { client in
      var statuses: [HTTPResponse.Status] = []
      for _ in 0...APIKeyMiddleware.failureLimit.burst {
        statuses.append(try await world.order(authorization: wrong, with: client).status)
      }
      #expect(statuses.dropLast().allSatisfy { $0 == .unauthorized })
      #expect(statuses.last == .tooManyRequests)
      let valid = try await world.order(authorization: "Bearer \(key.text)", with: client).status
      #expect(valid == .notFound)
    }
  }
}
