import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The answers of accounts to new prices, which are stored as evidence.
extension SubscriptionPrices {
  /// Applies the answer of an account to a price, and stores the answer as evidence.
  func answer(
    accepts: Bool, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    // An agreement to a price that needs no consent is evidence that the account has seen the price.
    if let asked = try known.pendingChange(in: transaction), asked.needsConsent || accepts {
      try record(accepts ? .accepted : .declined, to: asked, of: known.key, in: transaction)
    }
    let before = known.machine
    let effects = known.machine.handle(.priceAnswered(accepted: accepts), at: transaction.now)
    try moveDate(of: known, ifPauseEndedSince: before, in: transaction)
    return effects
  }

  /// Records an answer. An earlier answer is not overwritten: another answer inserts the question again.
  func record(
    _ answer: PriceChange.Answer, to asked: PriceChange, of key: SubscriptionKey, in transaction: StoreTransaction
  ) throws {
    guard asked.answer != answer else { return }
    let open = try asked.answer == nil ? asked : insertAgain(asked, of: key, in: transaction)
    try PriceChangeRecords.answer(open.id, answer, in: transaction)
  }

  /// Inserts another question about the same price.
  private func insertAgain(
    _ asked: PriceChange, of key: SubscriptionKey, in transaction: StoreTransaction
  ) throws -> PriceChange {
    let question = PriceChange(
      id: random.uuid7(at: transaction.now).lowercase, product: asked.product, old: asked.old, new: asked.new,
      needsConsent: true, askedAt: max(transaction.now, asked.askedAt + 0.001), appliesAt: asked.appliesAt,
      renewalPrice: asked.renewalPrice)
    try PriceChangeRecords.insert(question, of: key, in: transaction)
    return question
  }

  /// Moves the first day of a price, because a pause was planned, withdrawn or ended early.
  func moveDate(of known: StoredSubscription, to date: Date?, in transaction: StoreTransaction) throws {
    guard let date, let change = try known.pendingChange(in: transaction) else { return }
    try PriceChangeRecords.setDate(date, of: change.id, in: transaction)
  }

  /// Moves the first day of a price to the end of the period, if another change has withdrawn a planned pause.
  func moveDate(
    of known: StoredSubscription, ifPauseEndedSince before: SubscriptionMachine, in transaction: StoreTransaction
  ) throws {
    guard before.plannedPauseEnd != nil, known.machine.plannedPauseEnd == nil else { return }
    try moveDate(of: known, to: known.machine.period?.end, in: transaction)
  }

  /// Asks again for the consent to a price that was declined, because the subscription continues.
  func repeatQuestion(_ known: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let asked = try known.pendingChange(in: transaction), asked.answer == .declined else { return }
    _ = try insertAgain(asked, of: known.key, in: transaction)
    _ = known.machine.handle(.priceChanged(to: asked.new, needsConsent: true), at: transaction.now)
  }

  /// Agrees to a pending price that the account saw beside the button.
  func agree(
    to shownPrice: Money?, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    guard let shownPrice, shownPrice == known.machine.pendingPrice else { return [] }
    return try answer(accepts: true, of: &known, in: transaction)
  }
}
