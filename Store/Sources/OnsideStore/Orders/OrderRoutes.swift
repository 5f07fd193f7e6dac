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
        throw Problem(
          .badRequest, code: .idempotencyKeyMissing, detail: "Expected a new UUID, the same at every repetition.")
      }
      let message = try await request.message(OrderRequest.self, context)
      let device = try request.deliveryDevice(of: claims)
      let order = try await orders.create(
        message, id: id, account: claims.accountID, app: context.requireApp(), device: device)
      return answer(order, for: device, status: .created)
    }
    routes.on(.order) { request, context in
      let claims = try context.requireClaims()
      let device = try request.deliveryDevice(of: claims)
      try await orders.leases.renew(account: claims.accountID, app: claims.appID, device)
      let order = try await orders.order(try context.orderID(), account: claims.accountID, app: claims.appID)
      return answer(order, for: device)
    }
    routes.on(.cancelOrder) { request, context in
      let claims = try context.requireClaims()
      let reason = CancelReason(rawValue: request.queryFields["reason"] ?? CancelReason.user.rawValue)
      guard [.user, .screenClosed].contains(reason) else {
        throw Problem.invalidRequest("Expected reason as user or screen_closed.")
      }
      let device = try request.deliveryDevice(of: claims)
      try await orders.leases.renew(account: claims.accountID, app: claims.appID, device)
      let order = try await orders.cancel(
        try context.orderID(), because: reason, account: claims.accountID, app: claims.appID)
      return answer(order, for: device)
    }
    routes.on(.claimOrder) { request, context in
      let claims = try context.requireClaims()
      let device = try request.deliveryDevice(of: claims)
      let order = try await orders.leases.claim(
        try context.orderID(), account: claims.accountID, app: claims.appID, by: device)
      return answer(order, for: device)
    }
    routes.on(.finishOrder) { _, context in
      let claims = try context.requireClaims()
      try await orders.finish(try context.orderID(), account: claims.accountID, app: claims.appID)
      return .noContent
    }
  }

  private func answer(_ order: Order, for device: DeliveryDevice, status: HTTPResponse.Status = .ok) -> Response {
    let reader = OrderJSON.Reader(device: device, now: orders.dependencies.clock.now())
    return .bytes(orders.json.bytes(order, for: reader), contentType: "application/json", status: status)
  }
}

extension Request {
  /// The device that calls: what the app names, else its session. Throws `invalid_request` when the name is no UUID.
  func deliveryDevice(of claims: AccessTokenIssuer.Claims) throws(Problem) -> DeliveryDevice {
    guard let name = headers[.onsideDevice] else { return DeliveryDevice(id: claims.sessionID, knowsLeases: false) }
    guard let device = UUID(text: name) else {
      throw .invalidRequest("Expected a UUID in \(WireHeader.device), got something else.")
    }
    return DeliveryDevice(id: device.lowercase, knowsLeases: true)
  }
}

extension StoreRequestContext {
  /// The order that the path names; `not_found` when it is no UUID.
  fileprivate func orderID() throws(Problem) -> UUID {
    guard let id = parameters.get("id").flatMap({ UUID(text: $0) }) else { throw .notFound }
    return id
  }
}
