import OnsideAPI
import OnsideCommerce

/// The way of one payment from its turn in the queue to its outcome. Pure: it says what is to be done and is told what
/// came of it.
///
/// The outcome is always the store's word. A payment that cannot be ordered, shown or reached is not failed before the
/// store has confirmed that it will never be paid.
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
    /// The money is on its way; a sync tells.
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
    /// The payment screen is closed, or could not be shown.
    case closed(StoreError?)
    /// How the order stands after a question or a cancel.
    case told(Result<OrderMessage, StoreError>)
    /// A sync came by the order.
    case synced(OrderMessage)
    /// A sync has started over: whatever ended before it was not told.
    case syncStartedOver
    /// The pause after a failed call is over.
    case again
  }

  enum Effect: Hashable, Sendable {
    case ask(CountryCode)
    case order(CountryCode)
    case present(OrderMessage)
    case closeScreen
    case check
    case cancel
    case claim
    /// Another device may deliver it; the seconds until that may be over.
    case rest(seconds: Int)
    case pause(attempt: Int)
    case settle(Outcome)
  }

  enum Outcome: Hashable, Sendable {
    case purchased(OrderMessage)
    case failed(OnsidePaymentTransactionError)
    /// It never ran and never will; the app is told by its removal.
    case discarded
  }

  private(set) var phase = Phase.waiting
  /// Grows with everything that is asked for; an answer to an older question is dropped.
  private(set) var step = 0
  private(set) var attempts = 0
  /// The region that it was enqueued in, or that the delegate agreed to.
  private(set) var country: CountryCode
  /// Whether it comes from an earlier launch or login: then no screen is shown for it.
  let isCarriedOver: Bool
  /// Whether all that is missing is the leave to deliver it here.
  private(set) var isPaid: Bool
  /// What it fails with when the store confirms that it is not paid.
  private var verdict = OnsidePaymentTransactionError.cancelled

  /// How often an order is tried before the payment counts as impossible to show.
  static let orderAttempts = 4

  /// After how many seconds another device's delivery is asked for again when the store names no time.
  static let claimPause = 60

  init(country: CountryCode, isCarriedOver: Bool, isPaid: Bool = false) {
    self.country = country
    self.isCarriedOver = isCarriedOver
    self.isPaid = isPaid
  }

  /// Nobody is there to be told: it is claimed anew when somebody is.
  mutating func waitToClaim() {
    isPaid = true
    _ = enter(.waiting)
  }

  /// Whether the next payment has to wait for this one. One whose order the store cannot tell of lets others pass.
  var holdsTurn: Bool {
    switch phase {
    case .asking, .ordering, .presenting: true
    case .checking, .cancelling: attempts < Self.orderAttempts
    case .waiting, .processing, .claiming, .settled: false
    }
  }

  /// Whether another wish for the same product is this one.
  var isJoinable: Bool {
    switch phase {
    case .waiting, .asking, .ordering, .presenting: !isCarriedOver && !isPaid
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
    case (.presenting, .closed(let error)):
      if error == .presentationFailed { verdict = .presentationFailed }
      return enter(.checking, .check)
    case (.checking, .told(let result)), (.cancelling, .told(let result)):
      return told(result)
    case (.claiming, .told(let result)): return claimed(result)
    case (.claiming, .again): return repeated(.claim)
    case (.ordering, .again): return repeated(.order(country))
    case (.checking, .again): return repeated(.check)
    case (.cancelling, .again): return repeated(.cancel)
    case (.processing, .syncStartedOver): return enter(.checking, .check)
    // An answer that is under way may be older than the sync, and the last that is heard of a payment in processing.
    case (.checking, .syncStartedOver): return repeated(.check)
    case (.cancelling, .syncStartedOver): return repeated(.cancel)
    case (_, .synced(let order)) where phase != .settled:
      return synced(order)
    default:
      return []
    }
  }

  private mutating func run(in region: CountryCode) -> [Effect] {
    region == country ? enter(.ordering, .order(region)) : enter(.asking(region), .ask(region))
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
    case .failure:
      verdict = .presentationFailed
      return enter(.checking, .check)
    }
  }

  private mutating func told(_ result: Result<OrderMessage, StoreError>) -> [Effect] {
    switch result {
    case .success(let order) where order.state != .open:
      return ended(order)
    case .success where phase == .checking:
      return enter(.cancelling, .cancel)
    case .failure(.notFound):
      return settle(.failed(verdict))
    case .success, .failure:
      return pause()
    }
  }

  private mutating func synced(_ order: OrderMessage) -> [Effect] {
    // The payment was declined after its screen was closed: nobody is there to try another way.
    if phase == .processing, order.state == .open { return enter(.cancelling, .cancel) }
    guard order.state == .paid || order.state == .cancelled else { return [] }
    return (phase == .presenting ? [.closeScreen] : []) + ended(order)
  }

  private mutating func ended(_ order: OrderMessage) -> [Effect] {
    switch order.state {
    case .paid: return paid(order)
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
    default: return enter(.claiming, .rest(seconds: order.delivery?.seconds ?? Self.claimPause))
    }
  }

  private mutating func claimed(_ result: Result<OrderMessage, StoreError>) -> [Effect] {
    switch result {
    case .success(let order) where order.state == .paid: return ended(order)
    // The store was restored from a backup in which it is not paid.
    case .success, .failure(.notFound), .failure(.refused):
      return isPaid ? settle(.discarded) : enter(.checking, .check)
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

/// What the delegate said to a change of region.
enum GateAnswer: Hashable, Sendable {
  case goOn
  case stop
  /// Another delegate took over while the first was asked.
  case askAgain
}
