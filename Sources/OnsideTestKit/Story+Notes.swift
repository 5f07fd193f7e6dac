import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// What queues and the store tell, as steps.
extension Story {
  func hear(_ note: QueueNote, on device: String, at now: Date) {
    switch note {
    case .stored(let id, let payment, let added):
      let product = payment.product.productIdentifier
      know(id, productIdentifier: product) { $0.quantity = payment.quantity }
      let detail = payment.quantity == 1 ? product : "\(payment.quantity) × \(product)"
      add(.added, of: id, device: device, detail: detail, at: added)
      add(.stored, of: id, device: device, at: now)
    case .delivered(let transaction, let observers):
      hear(transaction, toldTo: observers, on: device, at: now)
    case .removed(let transaction):
      add(.finished, of: transaction.id, device: device, at: now)
    case .revoked(let transaction):
      add(.revoked, of: transaction.id, device: device, at: now)
    }
  }

  private func hear(_ transaction: OnsidePaymentTransaction, toldTo observers: Int, on device: String, at now: Date) {
    guard observers > 0 else { return }
    let state = transaction.transactionState
    know(transaction.id, productIdentifier: transaction.payment.product.productIdentifier) { known in
      known.delivered = transaction
      switch state {
      case .purchased, .restored:
        known.timesDelivered += 1
        if known.state != .refunded { known.state = .purchased }
      case .failed: known.state = .failed
      case .purchasing: break
      }
    }
    let error = transaction.error.map { " (\($0))" } ?? ""
    let detail = "\(state.rawValue)\(error), \(transaction.deliveryReason.rawValue)"
    add(.delivered, of: transaction.id, device: device, detail: detail, at: now)
  }

  func hear(_ note: LocalNote, at now: Date) {
    switch note {
    case .order(let order, let account, let waits): hear(order, of: account, waits: waits, at: now)
    case .subscription(let order, let effect): hear(effect, of: order.uuid, at: now)
    }
  }

  private func hear(_ order: OrderMessage, of account: String, waits: Bool, at now: Date) {
    let id = order.id.uuid
    let kind: StoryStep.Kind? =
      switch order.state {
      case .open: nil
      case .processing: waits ? .waiting : nil
      case .cancelled: .cancelled
      case .paid where order.revokedAt != nil: .refunded
      case .paid: order.reason == .renewal ? .renewed : .paid
      }
    var isNews = false
    know(id, productIdentifier: order.product.id) { known in
      isNews = kind != known.atStore
      known.atStore = kind
      known.account = account
      known.quantity = order.quantity
      known.price = order.price.money
      known.reason = order.reason
      known.expirationDate = order.expiresAt
    }
    guard let kind, isNews else { return }
    add(kind, of: id, device: nil, detail: kind == .paid ? Self.words(for: order) : "", at: now)
  }

  private static func words(for order: OrderMessage) -> String {
    order.duplicateOf == nil ? "\(order.price.money)" : "owned already, nothing is charged"
  }

  private func hear(_ effect: SubscriptionEffect, of id: UUID, at now: Date) {
    switch effect {
    case .refundUnused(let money, _): add(.givenBack, of: id, device: nil, detail: "\(money)", at: now)
    case .askConsent(let price): add(.priceAsked, of: id, device: nil, detail: "\(price)", at: now)
    case .paused: add(.paused, of: id, device: nil, at: now)
    case .graceBegan: add(.graceBegan, of: id, device: nil, at: now)
    case .retryBegan: add(.retryBegan, of: id, device: nil, at: now)
    case .expired(let reason): add(.expired, of: id, device: nil, detail: reason.rawValue, at: now)
    default: break
    }
  }
}
