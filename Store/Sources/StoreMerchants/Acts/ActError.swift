import OnsideAPI
import OnsideCommerce
import StoreSales
import StoreWeb

/// An error of a rejected act.
enum ActError: Error, Hashable, CustomStringConvertible {
  /// The idempotency key has an answer already: to another request, or to an equal one at the same time.
  case keyUsed
  /// There is no such paid order or customer of the app.
  case notFound
  /// The order has no subscription.
  case noSubscription
  /// The order is refunded and revoked.
  case refunded
  /// The revoked order is of another product.
  case otherProduct(String)

  /// The expected and the actual value.
  var description: String {
    switch self {
    case .keyUsed: "expected a new idempotency key, got that of another act"
    case .notFound: "expected a paid order or a customer of the key's app"
    case .noSubscription: "expected an order of a renewing subscription"
    case .refunded: "expected an order that is not refunded and revoked"
    case .otherProduct(let product): "expected the product of the revoked order, which is \(product)"
    }
  }
}

extension Problem {
  /// The answer to a rejected act; nil for an unexpected error.
  init?(ofAct error: any Error) {
    switch error {
    case ActError.keyUsed: self.init(.idempotencyKeyReused, detail: nil)
    case ActError.notFound, ActError.noSubscription, GrantError.unknownAccount, GrantError.unknownOrder:
      self = .notFound
    case let error as GrantError:
      if case .notSold = error {
        self.init(.productNotAvailable, detail: Self.sentence(error))
      } else {
        self.init(.actRejected, detail: Self.sentence(error))
      }
    case is ActError, is RefundError, is OrderTransitionError, is ExtensionError:
      self.init(.actRejected, detail: Self.sentence(error))
    default: return nil
    }
  }

  private static func sentence(_ error: any Error) -> String {
    let text = "\(error)"
    return text.prefix(1).uppercased() + text.dropFirst() + ". Nothing was changed."
  }
}
