import StorePayments

extension MethodConsent {
  /// The consent of a payment's buyer; nil for a method that is not saved.
  init?(_ payment: Payment, of product: String) {
    switch (payment.remembers, payment.renewalGiver != nil) {
    case (true, true): self = .purchasesAndRenewals(of: product)
    case (true, false): self = .purchases
    case (false, true): self = .renewals(of: product)
    case (false, false): return nil
    }
  }
}
