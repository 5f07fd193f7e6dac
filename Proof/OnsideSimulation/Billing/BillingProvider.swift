import Foundation
import OnsideCommerce

/// What one payment is for. The provider takes each once, however often it is asked.
enum BillingPayment: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// A purchase on the payment page.
  case order(Int)
  /// A try to charge a renewal.
  case renewal(period: Int, attempt: Int, key: Int)

  init(_ charge: SubscriptionCharge, key: Int) {
    self = .renewal(period: charge.number, attempt: charge.attempt, key: key)
  }

  var description: String {
    switch self {
    case .order(let number): "order \(number)"
    case .renewal(let period, let attempt, _): "try \(attempt) for period \(period)"
    }
  }
}

/// The simulated payment provider: it remembers every payment and refund by its key.
struct BillingProvider {
  enum State: Equatable { case pending, succeeded, declined(isFinal: Bool) }

  struct Charge {
    let amount: Int64
    var state: State
    /// The refunds by their own numbers.
    var refunds: [Int: Int64] = [:]

    var kept: Int64 { state == .succeeded ? amount - refunds.values.reduce(0, +) : 0 }
  }

  private(set) var charges: [BillingPayment: Charge] = [:]

  /// What is wrong with a payment that is asked for, if anything is.
  func fault(of payment: BillingPayment, amount: Int64) -> Violation? {
    if let known = charges[payment], known.amount != amount {
      return Violation(promise: .p2, text: "\(payment) is asked for as \(amount) after \(known.amount)")
    }
    guard charges[payment] == nil, case .renewal(let period, _, _) = payment else { return nil }
    for (other, charge) in charges where charge.state == .pending || charge.kept > 0 {
      guard case .renewal(period, _, _) = other else { continue }
      return Violation(promise: .p2, text: "\(payment) is asked for while \(other) is \(charge.state)")
    }
    return nil
  }

  /// Takes a payment that it does not have.
  mutating func take(_ payment: BillingPayment, amount: Int64, _ state: State) {
    charges[payment] = Charge(amount: amount, state: state)
  }

  mutating func settle(_ payment: BillingPayment, as state: State) { charges[payment]?.state = state }

  /// Gives money back; once for each number.
  mutating func refund(_ payment: BillingPayment, number: Int, amount: Int64) {
    charges[payment]?.refunds[number] = amount
  }
}
