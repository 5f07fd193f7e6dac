import OnsideAPI
import OnsideCommerce

/// The state machine of one payment, from its turn in the queue to its outcome. Pure: it returns the work to do as
/// effects, and the results come back as events.
///
/// The store decides the outcome. A payment that cannot be ordered, shown or reached does not fail before the store has
/// confirmed that it will never be paid.
struct PurchaseMachine: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    /// Its turn has not come.
    case waiting
    /// The delegate decides whether it may run in this region.
    case asking(CountryCode)
    /// The order is being made.
    case ordering
    /// The payment screen is open.
    case presenting
    /// The store is asked how the order stands.
    case checking
    /// The store is asked to give the order up.
    case cancelling
    /// The screen has ended and the order is open: its page may still be open in a browser. A sync brings the outcome;
    /// a second payment of the same identity shows the page again.
    case left
    /// The store is processing the payment; a sync brings the outcome.
    case processing
    /// It is paid; the store is asked whether this device may deliver it, or will be once the other one is silent.
    case claiming
    case settled
  }

  enum Event: Sendable {
    /// Its turn has come; the account's region.
    case turn(CountryCode)
    /// The delegate has decided; the account's region now.
    case answered(GateAnswer, CountryCode)
    /// The answer to the order.
    case ordered(Result<OrderMessage, StoreError>)
    /// The payment screen has ended, or could not be shown.
    case closed(Result<PaymentScreenEnd, StoreError>)
    /// How the order stands after a question or a cancel.
    case told(Result<OrderMessage, StoreError>)
    /// A sync has brought the order.
    case synced(OrderMessage)
    /// A sync has started over: it does not report payments that ended before it.
    case syncStartedOver
    /// The pause after a failed call is over.
    case again
    /// A second payment of the same identity was added.
    case wantedAgain
    /// The app cancels the payment for the user.
    case givenUp
  }

  enum Effect: Hashable, Sendable {
    case ask(CountryCode)
    case order(CountryCode)
    case present(OrderMessage)
    /// Shows the open payment screen to the user again.
    case bringBack
    case closeScreen
    case check
    case cancel(CancelReason)
    case claim
    /// Another device may deliver it; the seconds until that may be over.
    case rest(seconds: Int)
    case pause(attempt: Int)
    case settle(Outcome)
  }

  enum Outcome: Hashable, Sendable {
    case purchased(OrderMessage)
    /// The store does not answer the claim of a purchase of an earlier launch: it is delivered as it is on disk.
    case redelivered
    case failed(OnsidePaymentTransactionError)
    /// It never ran and never will; observers are called with its removal.
    case discarded
  }

  private(set) var phase = Phase.waiting
  /// The number of the last effect that waits for an answer; an answer to an earlier one is dropped.
  private(set) var step = 0
  private(set) var attempts = 0
  /// The region that it was enqueued in, or that the delegate agreed to.
  private(set) var country: CountryCode
  /// Whether it is from an earlier launch or login: then no screen is shown for it.
  private(set) var isCarriedOver: Bool
  /// Whether it is paid and only the claim for this device is missing.
  private(set) var isPaid: Bool
  /// How its screen ended. Before that, and after an earlier launch, the page may be open without this process knowing
  /// it.
  private var screenEnd = PaymentScreenEnd.unseen
  /// Whether the purchase was delivered here by an earlier launch, and the store has named no other holder since.
  private var isRedeliverable: Bool
  /// Whether the store may have an order for it.
  private(set) var mayHaveOrder: Bool
  /// Whether the app has cancelled it.
  private var isGivenUp = false
  /// The error that it fails with when the store confirms that it is not paid.
  private var verdict = OnsidePaymentTransactionError.cancelled

  /// Why the order could not be made, when the attempts are over.
  private(set) var orderFailure: StoreError?

  /// What is in the way of a payment that cannot be shown.
  var failure: OnsideFailure { orderFailure.map(OnsideFailure.init(order:)) ?? .presentationFailed }

  /// The number of attempts to make the order before the payment counts as impossible to show.
  static let orderAttempts = 4

  /// The pause, in seconds, before a purchase that another device holds is claimed again; used when the store names no
  /// time.
  static let claimPause = 60

  init(country: CountryCode, isCarriedOver: Bool, isPaid: Bool = false) {
    self.country = country
    self.isCarriedOver = isCarriedOver
    self.isPaid = isPaid
    mayHaveOrder = isCarriedOver || isPaid
    isRedeliverable = isPaid && isCarriedOver
  }

  /// Returns to the queue because there is no observer; the purchase is claimed again when one is added.
  mutating func waitToClaim() {
    isPaid = true
    _ = enter(.waiting)
  }

  /// Whether the next payment of the same product waits for this one. After ``orderAttempts`` failed questions about
  /// its order the others do not wait any longer.
  var holdsTurn: Bool {
    switch phase {
    case .asking, .ordering, .presenting: true
    case .checking, .cancelling: attempts < Self.orderAttempts
    case .waiting, .processing, .left, .claiming, .settled: false
    }
  }

  /// Whether the store is, or will be, asked about a payment of an earlier launch. After ``orderAttempts`` failed
  /// questions no other payment waits for the answer.
  var isBeingChecked: Bool {
    switch phase {
    case .waiting, .checking, .cancelling: isCarriedOver && !isPaid && attempts < Self.orderAttempts
    case .asking, .ordering, .presenting, .left, .processing, .claiming, .settled: false
    }
  }

  /// Whether a second payment of the same identity joins this one.
  var isJoinable: Bool {
    switch phase {
    case .waiting, .asking, .ordering, .presenting: !isCarriedOver && !isPaid
    case .left: true
    case .checking, .cancelling, .processing, .claiming, .settled: false
    }
  }

  mutating func handle(_ event: Event) -> [Effect] {
    switch (phase, event) {
    case (.waiting, .turn) where isPaid: return enter(.claiming, .claim)
    case (.waiting, .turn(let region)):
      return isCarriedOver ? enter(.checking, .check) : run(in: region)
    case (.asking(let asked), .answered(let answer, let region)):
      return answered(answer, about: asked, region: region)
    case (.ordering, .ordered(let result)):
      return ordered(result)
    case (.presenting, .closed(let end)):
      screenEnd = end.success ?? .unseen
      if end.failure == .presentationFailed { verdict = .presentationFailed }
      return enter(.checking, .check)
    case (.checking, .told(let result)), (.cancelling, .told(let result)):
      return told(result)
    case (.claiming, .told(let result)): return claimed(result)
    case (.claiming, .again): return repeated(.claim)
    case (.ordering, .again): return repeated(.order(country))
    case (.checking, .again): return repeated(.check)
    case (.cancelling, .again): return repeated(.cancel(cancelReason))
    case (.processing, .syncStartedOver), (.left, .syncStartedOver): return enter(.checking, .check)
    // An answer that is under way may be older than the sync, and no later message may follow for a payment in
    // processing.
    case (.checking, .syncStartedOver): return repeated(.check)
    case (.cancelling, .syncStartedOver): return repeated(.cancel(cancelReason))
    // The same: it may be from before the payment was declined, and no sync reports that again.
    case (.checking, .synced(let order)) where !order.isEnded: return repeated(.check)
    case (.cancelling, .synced(let order)) where !order.isEnded: return repeated(.cancel(cancelReason))
    // And an answer to a claim may be from before the lease was free; a pause need not be waited for.
    case (.claiming, .synced(let order)) where order.delivery?.holder == .free: return repeated(.claim)
    case (.presenting, .wantedAgain): return [.bringBack]
    case (.left, .wantedAgain):
      isCarriedOver = false
      screenEnd = .unseen
      return enter(.waiting)
    case (_, .givenUp): return givenUp()
    case (_, .synced(let order)) where phase != .settled:
      return synced(order)
    default:
      return []
    }
  }

  private mutating func run(in region: CountryCode) -> [Effect] {
    guard region == country else { return enter(.asking(region), .ask(region)) }
    mayHaveOrder = true
    return enter(.ordering, .order(region))
  }

  private mutating func answered(_ answer: GateAnswer, about asked: CountryCode, region: CountryCode) -> [Effect] {
    switch answer {
    case .stop:
      return settle(.discarded)
    case .goOn where asked == region:
      country = region
      return run(in: region)
    case .goOn, .askAgain:
      return run(in: region)
    }
  }

  private mutating func ordered(_ result: Result<OrderMessage, StoreError>) -> [Effect] {
    switch result {
    case .success(let order) where order.state == .open:
      return enter(.presenting, .present(order))
    case .success(let order):
      return ended(order)
    case .failure(.storefrontChanged(let region)) where region != country:
      return enter(.asking(region), .ask(region))
    case .failure(let error) where error.isRetryable && attempts + 1 < Self.orderAttempts:
      return pause()
    case .failure(let error):
      verdict = .presentationFailed
      orderFailure = error
      return enter(.checking, .check)
    }
  }

  private mutating func told(_ result: Result<OrderMessage, StoreError>) -> [Effect] {
    switch result {
    case .success(let order) where order.state != .open || isPaid:
      return ended(order)
    case .failure(.notFound) where isPaid:
      return settle(.discarded)
    case .success where phase == .checking:
      // A redirect only makes the SDK ask (QUE-25): any page may send it, so it does not cancel the order.
      if screenEnd == .returned, !isGivenUp { return enter(.left) }
      return enter(.cancelling, .cancel(cancelReason))
    case .success where cancelReason == .screenClosed:
      return enter(.left)
    case .failure(.notFound):
      return settle(.failed(verdict))
    case .success, .failure:
      return pause()
    }
  }

  /// The reason sent with a cancel. Closing a window or a sheet is the user's decision, and so is the app's cancel. A
  /// page in a browser may still be open.
  private var cancelReason: CancelReason { isGivenUp || screenEnd == .closed ? .user : .screenClosed }

  /// Cancels the payment for the app. An order that may exist is cancelled at the store first. A payment in processing
  /// goes on, and so does a paid purchase that waits for its claim.
  private mutating func givenUp() -> [Effect] {
    guard !isGivenUp, !isPaid, phase != .claiming, phase != .settled else { return [] }
    isGivenUp = true
    verdict = .cancelled
    switch phase {
    case .checking, .processing, .claiming, .settled: return []
    case .presenting: return [.closeScreen] + enter(.cancelling, .cancel(.user))
    case .waiting, .asking:
      return mayHaveOrder ? enter(.cancelling, .cancel(.user)) : settle(.failed(.cancelled))
    case .ordering, .cancelling, .left: return enter(.cancelling, .cancel(.user))
    }
  }

  private mutating func synced(_ order: OrderMessage) -> [Effect] {
    // The payment was declined after its screen was closed: the user can no longer choose another method.
    if phase == .processing, order.state == .open { return enter(.cancelling, .cancel(cancelReason)) }
    guard order.isEnded else { return [] }
    return (phase == .presenting ? [.closeScreen] : []) + ended(order)
  }

  private mutating func ended(_ order: OrderMessage) -> [Effect] {
    switch order.state {
    case .paid: return paid(order)
    // The store was restored from a backup in which it is not paid.
    case _ where isPaid: return settle(.discarded)
    case .cancelled where order.cancelReason == .storefrontChanged: return settle(.discarded)
    case .cancelled: return settle(.failed(verdict))
    case .processing, .open: return enter(.processing)
    }
  }

  /// A consumable is delivered on one device only (QUE-22).
  private mutating func paid(_ order: OrderMessage) -> [Effect] {
    switch order.delivery?.holder {
    case nil, .here?: return settle(.purchased(order))
    case .free? where phase != .claiming: return enter(.claiming, .claim)
    // Another device has it, or the store's answer is unknown to this version.
    default:
      isRedeliverable = false
      return enter(.claiming, .rest(seconds: order.delivery?.seconds ?? Self.claimPause))
    }
  }

  private mutating func claimed(_ result: Result<OrderMessage, StoreError>) -> [Effect] {
    switch result {
    case .success(let order): return ended(order)
    case .failure(let error) where isRedeliverable && (!error.mayAnswerSoon || attempts + 1 >= Self.orderAttempts):
      return settle(.redelivered)
    // A store that is older than claims answers the same. After the pause the order is asked about instead.
    case .failure(.notFound), .failure(.refused): return enter(.checking, .rest(seconds: Self.claimPause))
    case .failure: return pause()
    }
  }

  private mutating func enter(_ next: Phase, _ effects: Effect...) -> [Effect] {
    phase = next
    step += 1
    attempts = 0
    return effects
  }

  private mutating func repeated(_ effect: Effect) -> [Effect] {
    step += 1
    return [effect]
  }

  private mutating func pause() -> [Effect] {
    step += 1
    attempts += 1
    return [.pause(attempt: attempts)]
  }

  private mutating func settle(_ outcome: Outcome) -> [Effect] {
    enter(.settled, .settle(outcome))
  }
}

extension StoreError {
  /// Whether the store can be reached, and may answer the next attempt.
  fileprivate var mayAnswerSoon: Bool {
    switch self {
    case .serviceUnavailable, .internalError: true
    default: false
    }
  }
}

extension OrderMessage {
  /// Whether its payment has ended.
  fileprivate var isEnded: Bool { state == .paid || state == .cancelled }
}

/// The delegate's answer to a change of region.
enum GateAnswer: Hashable, Sendable {
  case goOn
  case stop
  /// Another delegate took over while the first was asked.
  case askAgain
}
