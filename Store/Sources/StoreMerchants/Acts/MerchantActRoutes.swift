import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreBase
package import StoreWeb

/// Acts of merchants' servers over HTTP.
package struct MerchantActRoutes: RouteGroup {
  /// The numbers of days of an extension, as of `onside subscription extend`.
  static let days = 1...3660
  /// Maximum number of characters of a grant's cause.
  static let longestCause = 200
  private static let reasons: [RevocationReason] = [.refund, .support]

  private let acts: MerchantActs

  package init(acts: MerchantActs) {
    self.acts = acts
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.merchantRefund) { request, context in
      let order = try context.actedOrder()
      let message = try await request.message(MerchantRefundRequest.self, context)
      guard message.amount.map({ $0 > 0 }) ?? true else {
        throw Problem.invalidRequest("Expected amount as an integer above 0, in the currency's smallest unit.")
      }
      guard message.reason.map({ Self.reasons.contains($0) }) ?? true else {
        throw Problem.invalidRequest("Expected reason as REFUND or SUPPORT.")
      }
      let values = ["amount": message.amount.map { "\($0)" }, "reason": message.reason?.rawValue]
      let act = try request.act(.refund, of: order.lowercase, values, context)
      return try await answer { try await acts.refund(order, by: message, act) }
    }
    routes.on(.merchantGrant) { request, context in
      guard let subject = context.parameters.get("subject"), subject.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil else {
        throw Problem.notFound
      }
      let message = try await request.message(MerchantGrantRequest.self, context)
      guard message.cause.map({ 1...Self.longestCause ~= $0.unicodeScalars.count }) ?? true else {
        throw Problem.invalidRequest("Expected cause with 1 to \(Self.longestCause) characters.")
      }
      let values = [
        "product_id": message.productID, "reinstates": message.reinstates?.description, "cause": message.cause,
      ]
      let act = try request.act(.grant, of: subject, values, context)
      return try await answer { try await acts.grant(message, to: subject, act) }
    }
    routes.on(.merchantExtension) { request, context in
      let order = try context.actedOrder()
      let message = try await request.message(MerchantExtensionRequest.self, context)
      guard Self.days.contains(message.days) else {
        throw Problem.invalidRequest("Expected days as an integer from 1 to \(Self.days.upperBound).")
      }
      let act = try request.act(.extend, of: order.lowercase, ["days": "\(message.days)"], context)
      return try await answer { try await acts.extend(order, byDays: message.days, act) }
    }
    routes.on(.merchantStop) { request, context in
      let order = try context.actedOrder()
      _ = try await request.message([String: PayloadValue].self, context)
      let act = try request.act(.stop, of: order.lowercase, [:], context)
      return try await answer { try await acts.stop(order, act) }
    }
  }

  private func answer(_ act: () async throws -> ActAnswer) async throws -> Response {
    do {
      let answer = try await act()
      return .bytes(
        answer.json.utf8, contentType: "application/json", status: HTTPResponse.Status(code: answer.status))
    } catch {
      if let problem = Problem(ofAct: error) { throw problem }
      throw error
    }
  }
}

extension StoreRequestContext {
  /// The order that the path names; `not_found` when it is no UUID.
  fileprivate func actedOrder() throws(Problem) -> UUID {
    guard let id = parameters.get("order_id").flatMap({ UUID(text: $0) }) else { throw .notFound }
    return id
  }
}

extension Request {
  fileprivate func act(
    _ kind: MerchantActKind, of object: String, _ arguments: [String: String?], _ context: StoreRequestContext
  ) throws(Problem) -> MerchantAct {
    MerchantAct(
      kind, of: object, arguments: arguments, key: try idempotencyKey(), by: try context.requireAPIKey())
  }
}
