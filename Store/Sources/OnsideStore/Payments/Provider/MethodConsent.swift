/// What a method is saved for, to which the buyer agrees who enters it: charges without the buyer.
enum MethodConsent: Sendable, Hashable {
  /// What the account buys later.
  case purchases
  /// The renewals of the subscription of this title, and nothing else.
  case renewals(of: String)
  /// Both.
  case purchasesAndRenewals(of: String)

  /// What the buyer of a payment has asked for, or was told; nil when its method is not saved.
  init?(_ payment: Payment, of product: String) {
    switch (payment.remembers, payment.renewalGiver != nil) {
    case (true, true): self = .purchasesAndRenewals(of: product)
    case (true, false): self = .purchases
    case (false, true): self = .renewals(of: product)
    case (false, false): return nil
    }
  }
}
