import Foundation
import OnsideCommerce
import StorePayments

/// Something that the store and a payment provider do not have alike, in words.
public struct PaymentDifference: Sendable, Hashable, CustomStringConvertible {
  /// The provider's id of what it is about, or the store's where the provider has none.
  public let subject: String
  /// What each of both has.
  public let text: String

  /// Both.
  public var description: String { "\(subject): \(text)" }
}

/// Compares the books of the store with those of a provider.
struct PaymentComparison: Sendable {
  let provider: String
  let theirs: ProviderBooks
  let ours: StoreBooks
  /// From when on both are compared; the books reach back further, so that nothing is missed at the edge.
  let start: Date
  /// Until when: what is younger may be under way.
  let end: Date

  var differences: [PaymentDifference] { charges + refunds + disputes + payouts }

  private var charges: [PaymentDifference] {
    let known = Dictionary(ours.charges.map { ($0.id, $0) }) { first, _ in first }
    let listed = Dictionary(theirs.charges.map { ($0.id, $0) }) { $0.isPaid ? $0 : $1 }
    let missing = theirs.charges.filter(\.isPaid).compactMap { charge -> PaymentDifference? in
      guard let own = known[charge.id] else {
        return difference(charge.reference, "\(provider) has \(charge.amount.text) paid, the store does not know it")
      }
      guard own.isPaid else {
        guard own.createdAt < end else { return nil }
        return difference(
          charge.reference,
          "\(provider) has \(charge.amount.text) paid, the store has payment \(own.id) as \(own.state.rawValue)")
      }
      guard own.amount != charge.amount else { return nil }
      return difference(
        charge.reference, "\(provider) has \(charge.amount.text), the store \(own.amount.text) for payment \(own.id)")
    }
    let doubled = Dictionary(grouping: theirs.charges.filter(\.isPaid), by: \.id).filter { $0.value.count > 1 }
      .sorted { $0.key < $1.key }
      .map { difference($0.value[0].reference, "\(provider) has payment \($0.key) paid \($0.value.count) times") }
    let unpaid = ours.charges.filter { $0.isPaid && isCompared($0.createdAt) && listed[$0.id]?.isPaid != true }
      .map {
        difference(
          $0.reference ?? $0.id, "the store has payment \($0.id) of \($0.amount.text) as paid, \(provider) does not")
      }
    return missing + doubled + unpaid
  }

  private var refunds: [PaymentDifference] {
    let references = ours.references.union(theirs.charges.map(\.reference))
    let missing = theirs.refunds.filter { references.contains($0.charge) }.compactMap(difference)
    let unlisted = ours.refunds.filter { own in
      isCompared(own.askedAt) && own.state != .failed && !theirs.refunds.contains { Self.isSame($0, own, at: provider) }
    }
    return missing
      + unlisted.map {
        difference(
          $0.reference ?? $0.id,
          "the store has refund \($0.id) of \($0.amount.text) as \($0.state.rawValue), \(provider) does not have it")
      }
  }

  private func difference(_ refund: ProviderBooks.Refund) -> PaymentDifference? {
    guard let own = ours.refunds.first(where: { Self.isSame(refund, $0, at: provider) }) else {
      if case .failed = refund.state { return failedDifference(refund) }
      if isToldByPayment(refund) { return nil }
      return difference(refund.reference, "\(provider) has refunded \(refund.amount.text), the store does not know it")
    }
    guard own.amount == refund.amount else {
      return difference(
        refund.reference, "\(provider) has refunded \(refund.amount.text), the store has \(own.amount.text)")
    }
    guard isCompared(own.askedAt) else { return nil }
    switch (refund.state, own.state) {
    case (.succeeded, .settled), (.failed, .failed), (.pending, .asked): return nil
    case (.pending, .settled), (.pending, .failed), (.succeeded, _), (.failed, _):
      return difference(
        refund.reference,
        "\(provider) has it as \(refund.state.word), the store has refund \(own.id) as \(own.state.rawValue)")
    }
  }

  /// A refund that failed, and that the store has no record of: nothing, unless the store counts its money as gone.
  private func failedDifference(_ refund: ProviderBooks.Refund) -> PaymentDifference? {
    let hasAnother = theirs.refunds.contains { other in
      if case .failed = other.state { return false }
      return other.charge == refund.charge
    }
    guard !hasAnother, isToldByPayment(refund) else { return nil }
    return difference(
      refund.reference,
      "\(provider) has it as \(refund.state.word), the store has its payment of \(refund.amount.text) as refunded")
  }

  /// Whether a refund was told by the state of its payment alone: it has no record of its own then, and the payment is
  /// there as refunded.
  private func isToldByPayment(_ refund: ProviderBooks.Refund) -> Bool {
    ours.charges.contains { own in
      own.reference == refund.charge && own.state == .refunded && own.amount == refund.amount
        && !ours.refunds.contains { $0.paymentID == own.id && $0.state != .failed }
    }
  }

  private var disputes: [PaymentDifference] {
    let known = Dictionary(ours.disputes.map { ($0.id, $0) }) { first, _ in first }
    let references = ours.references.union(theirs.charges.map(\.reference))
    return theirs.disputes.filter { references.contains($0.charge) }.compactMap { dispute in
      guard let own = known["\(provider):\(dispute.reference)"] else {
        return difference(
          dispute.reference,
          "\(provider) has a dispute of \(dispute.amount.text) about \(dispute.charge), which is \(dispute.status); "
            + "the store does not know it")
      }
      guard own.isWithdrawn != dispute.isWithdrawn, isCompared(own.openedAt) else { return nil }
      return difference(
        dispute.reference,
        "\(provider) \(dispute.isWithdrawn ? "has taken" : "has not taken") \(dispute.amount.text) for it, the store "
          + "\(own.isWithdrawn ? "has it as taken" : "does not")")
    }
  }

  private var payouts: [PaymentDifference] {
    guard let payouts = theirs.payouts else {
      return [difference("payouts", "\(provider)'s key may not read them; give it the right to")]
    }
    let known = Dictionary(ours.payouts.map { ($0.reference, $0) }) { first, _ in first }
    let listed = Set(payouts.map(\.reference))
    let unlisted = ours.payouts.filter { $0.state == .paid && isCompared($0.date) && !listed.contains($0.reference) }
    return payouts.filter { isCompared($0.date) }.compactMap { difference($0, known[$0.reference]) }
      + unlisted.map {
        difference($0.reference, "the store has a payout of \($0.amount.text), \(provider) does not have it")
      }
  }

  private func difference(_ payout: ProviderPayout, _ own: ProviderPayout?) -> PaymentDifference? {
    let told = "\(provider) has paid out \(payout.amount.text)"
    switch (payout.state, own?.state) {
    case (.failed, .failed), (.failed, nil): return nil
    case (.paid, .paid) where own?.amount == payout.amount: return nil
    case (.paid, nil): return difference(payout.reference, "\(told), the store does not know it")
    case (.paid, .paid): return difference(payout.reference, "\(told), the store has \(own?.amount.text ?? "")")
    case (.paid, .failed): return difference(payout.reference, "\(told), the store has it as failed")
    case (.failed, .paid):
      return difference(
        payout.reference, "the payout of \(payout.amount.text) has failed at \(provider), the store has it as paid")
    }
  }

  private func isCompared(_ date: Date) -> Bool { date >= start && date < end }

  private func difference(_ subject: String, _ text: String) -> PaymentDifference {
    PaymentDifference(subject: subject, text: text)
  }

  private static func isSame(_ theirs: ProviderBooks.Refund, _ ours: Refund, at provider: String) -> Bool {
    if let id = theirs.id { return id == ours.id }
    return ours.reference == theirs.reference || ours.id == "\(provider):\(theirs.reference)"
  }
}

extension Money {
  /// For people who run stores: `4.99 EUR`.
  fileprivate var text: String { "\(amount) \(currency.code)" }
}

extension ProviderRefund.State {
  fileprivate var word: String {
    switch self {
    case .pending: "pending"
    case .succeeded: "succeeded"
    case .failed(let reason): "failed (\(reason))"
    }
  }
}
