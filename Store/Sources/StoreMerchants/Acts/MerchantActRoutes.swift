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
    routes.on(.merchantRefund) { request, context in try await refund(request, context) }
    routes.on(.merchantGrant) { request, context in try await grant(request, context) }
    routes.on(.merchantExtension) { request, context in try await extend(request, context) }
    routes.on(.merchantStop) { request, context in try await stop(request, context) }
  }

  private func refund(_ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let order = try context.orderID()
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

  private func grant(_ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let subject = try context.subject()
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

  private func extend(_ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let order = try context.orderID()
    let message = try await request.message(MerchantExtensionRequest.self, context)
    guard Self.days.contains(message.days) else {
      throw Problem.invalidRequest("Expected days as an integer from 1 to \(Self.days.upperBound).")
    }
    let act = try request.act(.extend, of: order.lowercase, ["days": "\(message.days)"], context)
    return try await answer { try await acts.extend(order, byDays: message.days, act) }
  }

  private func stop(_ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let order = try context.orderID()
    _ = try await request.message([String: PayloadValue].self, context)
    let act = try request.act(.stop, of: order.lowercase, [:], context)
    return try await answer { try await acts.stop(order, act) }
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

extension Request {
  fileprivate func act(
    _ kind: MerchantActKind, of object: String, _ arguments: [String: String?], _ context: StoreRequestContext
  ) throws(Problem) -> MerchantAct {
    MerchantAct(
      kind, of: object, arguments: arguments, key: try idempotencyKey(), by: try context.requireAPIKey())
  }
}
