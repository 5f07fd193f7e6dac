/// What a method is saved for, to which the buyer agrees who enters it: charges without the buyer.
package enum MethodConsent: Sendable, Hashable {
  /// What the account buys later.
  case purchases
  /// The renewals of the subscription of this title, and nothing else.
  case renewals(of: String)
  /// Both.
  case purchasesAndRenewals(of: String)
}
