import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// What has to be true when everything has come to rest.
extension SimulatedWorld {
  /// What is still open for an account, if anything is.
  func unsettled(for account: AccountID) -> (promise: Promise, text: String)? {
    if let open = unsettledCalls(account) ?? unsettledOrders(account) ?? unsettledRefunds(account)
      ?? unsettledMoney(account)
    {
      return open
    }
    guard provider.isSettled else { return (.p4, "a payment never ends") }
    guard server.isSettled else { return (.p4, "the store never comes to rest") }
    return nil
  }

  private func unsettledCalls(_ account: AccountID) -> (Promise, String)? {
    for device in devices {
      guard let session = device.session, session.signedIn?.accountID == account else {
        return (.p4, "\(device.name) cannot log in")
      }
      if device.app.hasOpenCalls { return (.p4, "\(device.name): a call is never completed") }
      if let left = session.transactions.first {
        return (.p4, "\(device.name): \(name(left.id)) stays \(left.transactionState)")
      }
      if let id = device.app.unanswered(of: account).first {
        return (.p4, "\(device.name): \(name(id)) was taken and never ended")
      }
    }
    return nil
  }

  private func unsettledOrders(_ account: AccountID) -> (Promise, String)? {
    let granted = devices.reduce(into: Set<String>()) { $0.formUnion($1.app.granted) }
    for order in orders(of: account) where order.isPaid {
      if order.keepsMoney, !granted.contains(order.id.uuidString.lowercased()) {
        return (.p1, "\(name(order.id)) is paid, and no device has delivered it")
      }
      if order.keepsMoney, !order.state.finished {
        return (.p3, "the app has finished \(name(order.id)), and the store does not know")
      }
    }
    return nil
  }

  /// Every device has heard of every refund of what it was given.
  private func unsettledRefunds(_ account: AccountID) -> (Promise, String)? {
    for order in orders(of: account) where order.isTakenBack {
      let id = order.id.uuidString.lowercased()
      for device in devices
      where device.app.granted.contains(id) && !device.app.knowsRefund(of: id) && !device.app.undocumented.contains(id)
      {
        return (.p3, "\(device.name): \(name(order.id)) was given, and its refund is not told")
      }
    }
    return nil
  }

  /// No more payments than wishes, and books that agree with the provider's.
  private func unsettledMoney(_ account: AccountID) -> (Promise, String)? {
    let paid = orders(of: account).filter { provider.charges(of: $0.id) > 0 }
    for (productID, orders) in Dictionary(grouping: paid, by: \.product.id) {
      let wishes = devices.reduce(0) { $0 + ($1.app.wishes[account]?[productID] ?? 0) }
      if orders.count > wishes { return (.p2, "\(orders.count) payments for \(wishes) wishes for \(productID)") }
    }
    for order in orders(of: account) where !order.isFromElsewhere {
      let booked = server.durable.ledger.filter { $0.book == .provider && $0.order == order.id }.reduce(0) {
        $0 + $1.amount
      }
      let taken = Int64(provider.charges(of: order.id)) * order.amount
      if booked != taken { return (.p5, "\(name(order.id)): the ledger has \(booked), the provider \(taken)") }
      if order.keepsMoney != (taken > 0) { return (.p5, "\(name(order.id)) is \(order.state), with \(taken) paid") }
    }
    return nil
  }

  private func orders(of account: AccountID) -> [StoreBooks.Order] {
    server.durable.orders.values.filter { $0.account == account }.sorted { $0.id < $1.id }
  }
}
