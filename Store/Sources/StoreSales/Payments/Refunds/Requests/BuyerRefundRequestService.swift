public import Foundation
import OnsideCommerce
import StoreAccounts
package import StoreBase

/// Takes buyers' requests for refunds, and the operator's refusals. ``RefundService`` grants them.
public final class BuyerRefundRequestService: Sendable {
  /// An order with the request of its buyer.
  struct Purchase: Sendable {
    let order: Order
    /// Nil when the buyer has not asked.
    let request: BuyerRefundRequest?
    /// Whether a grant replaces the order, whose refund has failed.
    let isReinstated: Bool

    /// Whether the buyer may ask for a refund.
    var isRefundable: Bool { order.isRefundable(isReinstated: isReinstated) }
  }

  private let dependencies: BaseDependencies
  private let orders: OrderRecords

  package init(_ dependencies: BaseDependencies, orders: OrderRecords) {
    self.dependencies = dependencies
    self.orders = orders
  }

  /// Asks for a refund of an account's order. While the request waits, asking again replaces reason and note.
  ///
  /// - Throws: ``BuyerRefundRequestError``.
  func ask(
    for id: UUID, of account: String, reason: BuyerRefundRequest.Reason, note: BuyerRefundNote
  ) async throws {
    try await dependencies.write(for: account) { [orders] transaction in
      guard let order = try orders.order(id, in: transaction), order.accountID == account else {
        throw BuyerRefundRequestError.orderNotFound
      }
      guard order.isRefundable(isReinstated: try GrantRecords.isReinstated(id, in: transaction)) else {
        throw BuyerRefundRequestError.nothingToRefund
      }
      if try BuyerRefundRequestRecords.ask(for: id, reason: reason, note: note, in: transaction) { return }
      throw try Self.decided(id, in: transaction)
    }
  }

  /// Declines the request of an order.
  ///
  /// - Throws: ``BuyerRefundRequestError`` when no request waits.
  public func decline(_ order: UUID) async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { [orders, dependencies] transaction in
      let account = try orders.order(order, in: transaction)?.accountID ?? ""
      let transaction = try transaction.at(timeOf: account, in: dependencies.environment)
      if try BuyerRefundRequestRecords.decide(order, as: .declined, in: transaction) { return }
      throw try Self.decided(order, in: transaction)
    }
  }

  private static func decided(_ order: UUID, in connection: any SQLConnection) throws -> BuyerRefundRequestError {
    try BuyerRefundRequestRecords.request(of: order, in: connection).map { .decided($0.state) } ?? .noRequest
  }

  /// The request of an order; nil when its buyer has not asked.
  public func request(of order: UUID) async throws -> BuyerRefundRequest? {
    try await dependencies.database.read { try BuyerRefundRequestRecords.request(of: order, in: $0) }
  }

  /// The newest requests, of one state or of all.
  public func newest(
    _ limit: Int, state: BuyerRefundRequest.State? = nil
  ) async throws -> [BuyerRefundRequest] {
    try await dependencies.database.read { try BuyerRefundRequestRecords.newest(limit, state: state, in: $0) }
  }

  /// An order and its request; nil for an unknown order, and for that of an account that was removed. For a grant, the
  /// order that it replaces.
  func purchase(_ id: UUID) async throws -> Purchase? {
    try await dependencies.database.read { [orders] connection in
      guard let found = try orders.order(id, in: connection),
        let order = try found.reinstates.map({ try orders.order($0, in: connection) }) ?? found,
        try AccountRecords.country(of: order.accountID, in: connection) != nil
      else { return nil }
      return Purchase(
        order: order, request: try BuyerRefundRequestRecords.request(of: order.id, in: connection),
        isReinstated: try GrantRecords.isReinstated(order.id, in: connection))
    }
  }
}

extension Order {
  /// Whether its buyer may ask for a refund.
  /// - Parameter isReinstated: whether a grant replaces the order, whose refund has failed.
  fileprivate func isRefundable(isReinstated: Bool) -> Bool {
    state.stage == .paid && (state.revocation == nil || isReinstated) && duplicateOf == nil && price.minorUnits > 0
  }
}
