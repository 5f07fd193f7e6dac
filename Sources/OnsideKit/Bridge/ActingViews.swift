/// Which view's page has asked for a purchase that is under way: it is the one to be asked whether to go on.
struct ActingViews {
  /// A page may ask for much without a login; the oldest are forgotten.
  private static let limit = 100

  private var purchases: [(payment: PaymentIdentity, view: Int)] = []

  /// Takes down that a page of this view has asked for it last.
  mutating func record(_ payment: OnsidePayment, by view: Int) {
    forget(payment)
    purchases.append((PaymentIdentity(payment), view))
    if purchases.count > Self.limit { purchases.removeFirst() }
  }

  /// The purchase is over, or did not begin.
  mutating func forget(_ payment: OnsidePayment) {
    let identity = PaymentIdentity(payment)
    purchases.removeAll { $0.payment == identity }
  }

  /// The view; nil when no page of this process has asked for it.
  func view(for payment: OnsidePayment) -> Int? {
    let identity = PaymentIdentity(payment)
    return purchases.first { $0.payment == identity }?.view
  }
}
