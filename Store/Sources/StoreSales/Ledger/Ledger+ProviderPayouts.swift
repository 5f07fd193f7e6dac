import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// Money that providers send to the store's bank account.
extension Ledger {
  /// Books a payout of a provider, or books back one that failed. One that is told again changes nothing.
  func providerPayout(_ payout: ProviderPayout, from provider: String, in transaction: StoreTransaction) throws {
    let cause = "\(provider):\(payout.reference)"
    let kinds = try Self.kinds(of: cause, in: transaction)
    let isSent = payout.amount.minorUnits > 0
    let (giver, receiver) = isSent ? ("provider:\(provider)", Self.bank) : (Self.bank, "provider:\(provider)")
    let amount = Money(minorUnits: abs(payout.amount.minorUnits), currency: payout.amount.currency)
    switch payout.state {
    case .paid where kinds.isEmpty:
      try post(cause, kind: "provider_payout", from: giver, to: receiver, amount: amount, in: transaction)
    case .failed where kinds == ["provider_payout"]:
      try post(cause, kind: "provider_payout_failed", from: receiver, to: giver, amount: amount, in: transaction)
    case .paid, .failed: break
    }
  }
}
