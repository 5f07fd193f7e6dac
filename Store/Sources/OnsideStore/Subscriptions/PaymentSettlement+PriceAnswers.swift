import Foundation
import OnsideCommerce
import StoreBase

/// The answers of accounts to new prices, which are stored as evidence.
extension PaymentSettlement {
  /// Answers to a price for an account, and stores the answer as evidence.
  func answer(
    accepts: Bool, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    // An agreement to a price that needs no consent proves that the account has seen it.
    if let asked = try known.pendingChange(in: transaction), asked.needsConsent || accepts {
      try record(accepts ? .accepted : .declined, to: asked, of: known.key, in: transaction)
    }
    let before = known.machine
    let effects = known.machine.handle(.priceAnswered(accepted: accepts), at: transaction.now)
    try movePriceDate(of: known, ifPauseEndedSince: before, in: transaction)
    return effects
  }

  /// Records an answer. An earlier answer stays as it is; another one answers a new question.
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

  /// Moves the date from which a price is charged, because a pause has come, gone or ended early.
  func movePriceDate(of known: StoredSubscription, to date: Date?, in transaction: StoreTransaction) throws {
    guard let date, let change = try known.pendingChange(in: transaction) else { return }
    try PriceChangeRecords.setDate(date, of: change.id, in: transaction)
  }

  /// Moves the date of a price to the end of the period, when a planned pause was taken back by something else.
  func movePriceDate(
    of known: StoredSubscription, ifPauseEndedSince before: SubscriptionMachine, in transaction: StoreTransaction
  ) throws {
    guard before.plannedPauseEnd != nil, known.machine.plannedPauseEnd == nil else { return }
    try movePriceDate(of: known, to: known.machine.period?.end, in: transaction)
  }

  /// Asks once more about a price that was declined, when the subscription is to go on after all.
  func askAgain(_ known: inout StoredSubscription, in transaction: StoreTransaction) throws {
    guard let asked = try known.pendingChange(in: transaction), asked.answer == .declined else { return }
    _ = try insertAgain(asked, of: known.key, in: transaction)
    _ = known.machine.handle(.priceChanged(to: asked.new, needsConsent: true), at: transaction.now)
  }

  /// Agrees to a price that an account saw beside the button that it pressed, when that is the one it was asked about.
  func agree(
    to shownPrice: Money?, of known: inout StoredSubscription, in transaction: StoreTransaction
  ) throws -> [SubscriptionEffect] {
    guard let shownPrice, shownPrice == known.machine.pendingPrice else { return [] }
    return try answer(accepts: true, of: &known, in: transaction)
  }
}
