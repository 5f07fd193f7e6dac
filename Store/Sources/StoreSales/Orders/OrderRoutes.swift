import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI
import StoreAccounts
import StoreBase
import StoreWeb

/// Orders over HTTP.
package struct OrderRoutes: RouteGroup {
  package let orders: OrderService

  package init(orders: OrderService) {
    self.orders = orders
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.createOrder, limits: RouteLimits(body: 8 * 1024, admission: .newOrder)) { request, context in
      let claims = try context.requireClaims()
      guard let key = request.headers[.idempotencyKey], let id = UUID(text: key) else {
        throw Problem(
          .badRequest, code: .idempotencyKeyMissing, detail: "Expected a new UUID, the same at every repetition.")
      }
      let message = try await request.message(OrderRequest.self, context)
      let caller = try request.caller(claims)
      let order = try await orders.create(message, id: id, for: caller)
      return try await answer(order, for: caller, status: .created)
    }
    routes.on(.order) { request, context in
      let caller = try request.caller(context.requireClaims())
      try await orders.leases.renew(for: caller)
      return try await answer(try await orders.order(try context.orderID(), of: caller.customer), for: caller)
    }
    routes.on(.cancelOrder) { request, context in
      let claims = try context.requireClaims()
      let reason = CancelReason(rawValue: request.queryFields["reason"] ?? CancelReason.user.rawValue)
      guard [.user, .screenClosed].contains(reason) else {
        throw Problem.invalidRequest("Expected reason as user or screen_closed.")
      }
      let caller = try request.caller(claims)
      try await orders.leases.renew(for: caller)
      let order = try await orders.cancel(try context.orderID(), because: reason, for: caller.customer)
      return try await answer(order, for: caller)
    }
    routes.on(.claimOrder) { request, context in
      let caller = try request.caller(context.requireClaims())
      return try await answer(try await orders.leases.claim(try context.orderID(), for: caller), for: caller)
    }
    routes.on(.finishOrder) { request, context in
      let caller = try request.caller(context.requireClaims())
      try await orders.finish(try context.orderID(), for: caller)
      return .noContent
    }
  }

  private func answer(
    _ order: Order, for caller: OrderCaller, status: HTTPResponse.Status = .ok
  ) async throws -> Response {
    let dependencies = orders.dependencies
    // Only a lease is told by the time.
    let now = order.isLeased ? try await dependencies.now(of: order.accountID) : dependencies.clock.now()
    let reader = OrderJSON.Reader(device: caller.device, now: now)
    return .bytes(orders.json.bytes(order, for: reader), contentType: "application/json", status: status)
  }
}

extension StoreRequestContext {
  /// The order that the path names; `not_found` when it is no UUID.
  func orderID() throws(Problem) -> UUID {
    guard let id = parameters.get("id").flatMap({ UUID(text: $0) }) else { throw .notFound }
    return id
  }
}
