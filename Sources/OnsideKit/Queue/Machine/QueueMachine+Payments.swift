import Foundation
import OnsideAPI
import OnsideCommerce

/// Payments, from `add` to their outcome.
extension QueueMachine {
  mutating func add(_ request: AddRequest) -> [QueueEffect] {
    if let account { return enlist(request, for: account, in: request.fetchedCountry ?? account.country) }
    preflights[request.call] = .payment(request)
    return [.signIn(request.call)]
  }

  mutating func loginEnded(
    _ call: CallID, result: Result<SignInEffort, LoginFailure>, member: Member?
  ) -> [QueueEffect] {
    guard let preflight = preflights.removeValue(forKey: call) else { return [] }
    // The account reports its change before the login ends; this only ensures that order (ACC-4).
    let adopted = member == nil ? [] : adopt(member)
    guard case .success(let effort) = result, let account else {
      return adopted + [.tell(.completed(call, QueueCallResult(result.failure ?? .loginDiscarded)))]
    }
    switch (preflight, effort) {
    case (.restore, _):
      return adopted + beginRestore(call)
    case (.payment(let request), .loggedIn):
      preflights[call] = .gate(request, account)
      let entry = entry(for: request, of: account, in: request.shownCountry ?? account.country)
      return adopted + [.askAfterLogin(call, snapshot(entry))]
    case (.payment(let request), .alreadySignedIn), (.gate(let request, _), _):
      return adopted + enlist(request, for: account, in: request.fetchedCountry ?? account.country)
    }
  }

  mutating func afterLoginAnswered(_ call: CallID, goesOn: Bool) -> [QueueEffect] {
    guard case .gate(let request, let asked) = preflights.removeValue(forKey: call) else { return [] }
    guard goesOn else { return [.tell(.completed(call, .rejectedAfterLogin))] }
    guard let account, account.accountID == asked.accountID else {
      return [.tell(.completed(call, .loginDiscarded))]
    }
    return enlist(request, for: account, in: request.shownCountry ?? account.country)
  }

  private func entry(for request: AddRequest, of account: SignedIn, in country: CountryCode) -> QueueEntry {
    QueueEntry(request.payment, id: request.id, account: account.accountID, country: country, date: request.date)
  }

  /// Writes the payment to disk, or joins an open payment of the same identity. Holds it as long as the disk, or the
  /// store, may still report such a payment of an earlier launch (QUE-10, QUE-24).
  private mutating func enlist(
    _ request: AddRequest, for account: SignedIn, in country: CountryCode
  ) -> [QueueEffect] {
    if journal == .reading || isEarlierPaymentChecked(like: request.payment, of: account) {
      heldPayments.append(HeldPayment(request: request, account: account, country: country))
      return []
    }
    if let open = enlisting.first(where: { $0.value.entry.isJoined(by: request.payment, of: account) })?.key {
      enlisting[open]?.calls.append(request.call)
      return []
    }
    let open = purchases.first { id, purchase in
      purchase.isJoinable && book[id]?.isJoined(by: request.payment, of: account) == true
    }
    if let open { return [.tell(.completed(request.call, .added(open.key)))] + bringBack(open.key) }
    let entry = entry(for: request, of: account, in: country)
    enlisting[entry.id] = Enlisting(entry: entry, calls: [request.call])
    let written = QueueEvent.enlisted(entry.id, onDisk: true)
    let failed = QueueEvent.enlisted(entry.id, onDisk: false)
    return [.disk(.write([entry], then: written, otherwise: failed))]
  }

  /// Whether the store is asked about a payment of the same identity from an earlier launch.
  private func isEarlierPaymentChecked(like payment: OnsidePayment, of account: SignedIn) -> Bool {
    guard hasObserver else { return false }
    return purchases.contains { id, purchase in
      purchase.isBeingChecked && book[id]?.isJoined(by: payment, of: account) == true
    }
  }

  mutating func releaseHeld() -> [QueueEffect] {
    let payments = heldPayments
    heldPayments = []
    return payments.flatMap { enlist($0.request, for: $0.account, in: $0.country) }
  }

  /// Shows the payment page again on a second `add` of the same payment: the page may be lost among the user's browser
  /// tabs (QUE-24).
  private mutating func bringBack(_ id: UUID) -> [QueueEffect] {
    if purchases[id]?.phase == .left, let entry = book[id] { turns.append(entry) }
    return drive(id, with: .wantedAgain)
  }

  /// Cancels a payment for the app. It fails as if the user had cancelled it, once the store has confirmed that it will
  /// not be paid.
  mutating func cancel(_ id: UUID) -> [QueueEffect] {
    guard account != nil, purchases[id] != nil else { return [] }
    turns.withdraw(id)
    return drive(id, with: .givenUp)
  }

  mutating func enlisted(_ id: UUID, onDisk: Bool) -> [QueueEffect] {
    guard let enlisted = enlisting.removeValue(forKey: id) else { return [] }
    let completed: [QueueEffect] = enlisted.calls.map { .tell(.completed($0, onDisk ? .added(id) : .notStored)) }
    guard onDisk else { return completed }
    let entry = enlisted.entry
    guard entry.account == account?.accountID else {
      parked[entry.account, default: TransactionBook()].put(entry)
      return completed
    }
    book.put(entry)
    purchases[id] = PurchaseMachine(country: entry.country, isCarriedOver: false)
    turns.append(entry)
    return completed + [.tell(.updated([snapshot(entry)]))] + warnIfUnobserved() + startPayment()
  }

  /// Gives the turn to the next payment whose product has no payment that holds it.
  mutating func startPayment() -> [QueueEffect] {
    guard let account, hasObserver, isLoaded else { return [] }
    guard let next = turns.next(isBusy: { purchases[$0]?.holdsTurn == true }) else { return [] }
    return drive(next, with: .turn(account.country))
  }

  /// Handles the answer to an effect of a payment.
  mutating func purchase(_ id: UUID, step: Int, event: PurchaseMachine.Event) -> [QueueEffect] {
    guard let account, purchases[id]?.step == step else { return [] }
    // The region comes last: the delegate is asked with the storefront that observers have been told of.
    if case .ordered(.failure(.storefrontChanged(let region))) = event, region != account.country {
      return drive(id, with: event) + [.regionLearned(region, account)]
    }
    var woken: [QueueEffect] = []
    if case .ordered(.success) = event { woken = wakeSync() }
    if isOfAnotherQuantity(event, id) {
      return woken + drive(id, with: .ordered(.failure(.refused(.quantityNotAvailable))))
    }
    return woken + drive(id, with: event)
  }

  /// Whether the store has made an order of fewer or more than was asked for, as one that knows no quantities may:
  /// it is cancelled before its page is shown.
  private func isOfAnotherQuantity(_ event: PurchaseMachine.Event, _ id: UUID) -> Bool {
    guard case .ordered(.success(let order)) = event, order.state == .open else { return false }
    return order.quantity != book[id]?.payment.quantity
  }

  /// Sends an event to one payment, then starts the next one if it may.
  mutating func drive(_ id: UUID, with event: PurchaseMachine.Event) -> [QueueEffect] {
    guard var purchase = purchases[id] else { return [] }
    let asked = purchase.handle(event)
    purchases[id] = purchase
    return asked.flatMap { carryOut($0, of: id, in: purchase) } + startPayment()
  }

  /// Settles or postpones a payment; any other effect of its machine is work for the queue.
  private mutating func carryOut(
    _ effect: PurchaseMachine.Effect, of id: UUID, in purchase: PurchaseMachine
  ) -> [QueueEffect] {
    guard let entry = book[id] else { return [] }
    let work = QueueEffect.payment(id, step: purchase.step, effect)
    switch effect {
    case .order(let region) where region != entry.country:
      guard let moved = book.change(id, { $0.country = region }) else { return [] }
      return [.disk(.write([moved])), work]
    case .claim where !hasObserver, .settle(.redelivered) where !hasObserver: return postpone(id, in: purchase)
    case .settle(.purchased(let order)) where order.delivery != nil && !hasObserver: return postpone(id, in: purchase)
    case .settle(let outcome): return settle(entry, as: outcome, of: purchase)
    default: return [work]
    }
  }

  private mutating func settle(
    _ entry: QueueEntry, as outcome: PurchaseMachine.Outcome, of purchase: PurchaseMachine
  ) -> [QueueEffect] {
    endPurchase(entry.id)
    var settled = entry
    switch outcome {
    case .discarded:
      return drop(entry)
    case .redelivered:
      settled.awaitsClaim = nil
      settled.reason = .redelivered
    case .purchased(let order) where order.isTakenBack:
      return revoke([entry.revoked(by: order)])
    case .purchased(let order) where order.finished && order.duplicateOf == nil:
      // Another device of the account has delivered it.
      let removed: [QueueEffect] = entry.isVisible ? [.tell(.removed([snapshot(entry.finished(by: order))]))] : []
      return takeFinish(of: entry, by: order) + removed + startFinish()
    case .failed(let error):
      settled.state = .failed
      settled.error = error
      settled.failureCode = error == .presentationFailed ? purchase.failure.code : nil
      return fail(settled)
    case .purchased(let order):
      settled.state = .purchased
      settled.awaitsClaim = nil
      settled.adoptQuantity(of: order)
      settled.purchase = QueueEntry.Purchase(order)
      settled.country = order.country
      let sold = OnsideProduct(order.product, in: order.country)
      // In another region, or after a change of price, what was bought is not what was shown before.
      if sold.price.money != settled.payment.product.price.money { settled.payment.product = sold }
      if purchase.isCarriedOver { settled.reason = .redelivered }
    }
    return deliver([settled])
  }

  /// Removes a payment's state machine: the outcome is known.
  mutating func endPurchase(_ id: UUID) {
    purchases[id] = nil
    turns.end(id)
  }

  private mutating func drop(_ entry: QueueEntry) -> [QueueEffect] {
    book.remove(entry.id)
    let erased = QueueEffect.disk(.erase([entry.id]))
    if entry.isVisible { return [erased, .tell(.removed([snapshot(entry)]))] }
    // The cursor goes first: should it be paid after all, a sync that starts over brings it again.
    return startOver(entry.account) + [erased]
  }
}

extension QueueEntry {
  /// Whether a payment that is added asks for what this open one asks for.
  fileprivate func isJoined(by other: OnsidePayment, of account: SignedIn) -> Bool {
    self.account == account.accountID && state == .purchasing
      && PaymentIdentity(payment) == PaymentIdentity(other)
  }
}
