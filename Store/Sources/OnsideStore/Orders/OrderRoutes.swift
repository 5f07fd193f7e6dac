import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI

/// Orders over HTTP.
struct OrderRoutes: RouteGroup {
  let orders: OrderService

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.createOrder, limits: RouteLimits(body: 8 * 1024)) { request, context in
      let claims = try context.requireClaims()
      guard let key = request.headers[.idempotencyKey], let id = UUID(text: key) else {
        throw Problem(.badRequest, .idempotencyKeyMissing, "Expected a new UUID, the same at every repetition.")
      }
      let message = try await request.message(OrderRequest.self, context)
      let order = try await orders.create(message, id: id, account: claims.accountID, app: context.requireApp())
      return .bytes(orders.json.bytes(order), "application/json", status: .created)
    }
    routes.on(.order) { _, context in
      let claims = try context.requireClaims()
      let order = try await orders.order(try context.orderID(), account: claims.accountID, app: claims.appID)
      return .bytes(orders.json.bytes(order), "application/json")
    }
    routes.on(.cancelOrder) { request, context in
      let claims = try context.requireClaims()
      let reason = CancelReason(rawValue: request.queryFields["reason"] ?? CancelReason.user.rawValue)
      guard [.user, .screenClosed].contains(reason) else {
        throw Problem.invalidRequest("Expected reason as user or screen_closed.")
      }
      let order = try await orders.cancel(
        try context.orderID(), because: reason, account: claims.accountID, app: claims.appID)
      return .bytes(orders.json.bytes(order), "application/json")
    }
    routes.on(.finishOrder) { _, context in
      let claims = try context.requireClaims()
      try await orders.finish(try context.orderID(), account: claims.accountID, app: claims.appID)
      return .noContent
    }
  }
}

extension StoreRequestContext {
  /// The order that the path names; `not_found` when it is no UUID.
  fileprivate func orderID() throws(Problem) -> UUID {
    guard let id = parameters.get("id").flatMap({ UUID(text: $0) }) else { throw .notFound }
    return id
  }
}
