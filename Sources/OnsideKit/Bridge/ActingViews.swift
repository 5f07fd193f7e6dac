/// Which view's page has asked for a purchase that is under way: it is the one to be asked whether to go on.
///
/// A purchase is known by its product, quantity, offer and the app's token, as the queue joins wishes by them.
struct ActingViews {
  private struct Wish: Equatable {
    let product: String
    let quantity: Int
    let token: String?
    let offer: String?

    init(_ payment: OnsidePayment) {
      product = payment.product.productIdentifier
      quantity = payment.quantity
      token = payment.appAccountToken
      offer = payment.offer?.offerIdentifier
    }
  }

  /// A page may wish for much without a login; the oldest are forgotten.
  private static let limit = 100

  private var wishes: [(wish: Wish, view: Int)] = []

  /// Takes down that a page of this view has asked for it last.
  mutating func record(_ payment: OnsidePayment, by view: Int) {
    forget(payment)
    wishes.append((Wish(payment), view))
    if wishes.count > Self.limit { wishes.removeFirst() }
  }

  /// The purchase is over, or did not begin.
  mutating func forget(_ payment: OnsidePayment) {
    let wish = Wish(payment)
    wishes.removeAll { $0.wish == wish }
  }

  /// The view; nil when no page of this process has asked for it.
  func view(for payment: OnsidePayment) -> Int? {
    let wish = Wish(payment)
    return wishes.first { $0.wish == wish }?.view
  }
}
