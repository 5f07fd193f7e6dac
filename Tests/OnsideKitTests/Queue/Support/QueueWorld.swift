import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideKit

/// A simulation of everything around a queue machine, from one seed: a disk, a network that delays, loses and repeats,
/// a user, another device, kills and restarts. It checks the promises and records violations.
struct QueueWorld {
  private(set) var machine = QueueMachine(launch: "walk")
  private(set) var violations: [String] = []
  private var rules = StoreRules()
  private var random: SeededRandom
  private var isCalm = false

  /// Work that has not arrived yet.
  private enum Pending {
    /// A call that has not reached the store. The answer to an orphan, a call of a killed process, is dropped.
    case request(QueueEffect, of: AccountID?, isOrphan: Bool)
    /// Events that arrive in one turn.
    case events([QueueEvent])
    case login(CallID)
    case gate(UUID, step: Int)
    case screen(UUID, step: Int, isOrphan: Bool)
  }
  private var pending: [Pending] = []
  private var disk: [UUID: QueueEntry] = [:]
  private var cursors: [AccountID: String] = [:]
  private var diskLine: [QueueEffect] = []
  private var signedIn: SignedIn?

  /// Calls of the app that have not been completed.
  private var openCalls: Set<CallID> = []
  /// The final state that the app knows of each unfinished transaction.
  private var known: [UUID: OnsidePaymentTransactionState] = [:]
  /// What the app finished, as far as it was told so.
  private var finished: Set<UUID> = []
  private var wantsFinish: Set<UUID> = []
  /// What the app was given.
  private var granted: Set<UUID> = []
  /// The refunds that the app was told of.
  private var refunds: Set<UUID> = []
  private var made: UInt64 = 0

  static let accounts = [QueueHarness.alice, QueueHarness.bob]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    for account in Self.accounts { rules.move(account.accountID, to: account.country) }
    start()
  }

  /// One thing happens.
  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: arrive()
    case 45..<65: workDisk()
    case 65..<75: add()
    case 75..<83: finishOne()
    case 83..<85: call { .restore($0) }
    case 85..<87: signIn(Bool.random(using: &random) ? Self.accounts.randomElement(using: &random) : nil)
    case 87..<89: send(.observersChanged(hasAny: !machine.hasObserver))
    case 89..<91: kill()
    default: disturbStore()
    }
  }

  /// Ends the faults, adds an observer and runs all pending work; then checks every account.
  mutating func settle() {
    isCalm = true
    send(.observersChanged(hasAny: true))
    for account in Self.accounts {
      signIn(account)
      rest()
      for transaction in machine.transactions where transaction.transactionState == .failed { finish(transaction) }
      rest()
      check(account)
    }
    if !openCalls.isEmpty { violations.append("\(openCalls.count) calls were never completed") }
    if let twice = rules.charges.first(where: { $0.value > 1 }) { violations.append("charged twice: \(twice.key)") }
  }

  private mutating func rest() {
    var steps = 0
    while !diskLine.isEmpty || pending.contains(where: { !isIdlePoll($0) }) {
      if diskLine.isEmpty { arrive() } else { workDisk() }
      steps += 1
      if steps > 20_000 { return violations.append("never comes to rest: \(pending.prefix(3))") }
    }
  }

  private mutating func check(_ account: SignedIn) {
    let visible = Dictionary(uniqueKeysWithValues: machine.transactions.map { ($0.id, $0.transactionState) })
    for (id, order) in rules.orders where rules.owners[id] == account.accountID && order.state == .paid {
      guard !order.finished, order.revokedAt == nil else { continue }
      if visible[id] != .purchased && visible[id] != .restored {
        violations.append("paid but not delivered: \(id) is \(visible[id].map { "\($0)" } ?? "absent")")
      }
    }
    for id in granted where rules.owners[id] == account.accountID {
      let order = rules.orders[rules.orders[id]?.duplicateOf?.uuid ?? id]
      guard let order, order.revokedAt != nil, !refunds.contains(order.id.uuid) else { continue }
      violations.append("given and refunded, and the app was not told: \(order.id)")
    }
    for (id, state) in visible where state == .purchasing && rules.orders[id]?.state != .processing {
      violations.append("\(id) is left purchasing")
    }
    let onDisk = disk.values.filter { $0.account == account.accountID }
    if Set(onDisk) != Set(machine.book.entries.values) { violations.append("the disk is not what the queue holds") }
    if !machine.book.owed.isEmpty { violations.append("finishes are still owed") }
  }

  // MARK: The app

  private mutating func call(_ event: (CallID) -> QueueEvent) {
    let call = newID()
    openCalls.insert(call)
    send(event(call))
  }

  private mutating func add() {
    guard
      let product = RuleProducts.product(
        [RuleProducts.coins, RuleProducts.pro, RuleProducts.club].randomElement(using: &random) ?? "", in: .netherlands)
    else { return }
    let id = newID()
    let country = [CountryCode.netherlands, .unitedStates].randomElement(using: &random)
    call {
      .add(
        AddRequest(
          call: $0, payment: OnsidePayment(product: OnsideProduct(product)), id: id, date: StoreRules.date,
          provisionalCountry: country))
    }
  }

  private mutating func finishOne() {
    if let transaction = machine.transactions.randomElement(using: &random) { finish(transaction) }
  }

  private mutating func finish(_ transaction: OnsidePaymentTransaction) {
    if transaction.transactionState != .purchasing { wantsFinish.insert(transaction.id) }
    send(.finish(transaction.id))
  }

  private mutating func signIn(_ next: SignedIn?) {
    signedIn = next.flatMap { next in
      rules.countries[next.accountID].map { SignedIn(accountID: next.accountID, country: $0) }
    }
    send(.account(member))
  }

  private var member: Member? {
    signedIn.map {
      Member(signedIn: $0, storefront: OnsideStorefront(id: $0.country.alpha2, countryCode: $0.country.alpha2))
    }
  }

  private mutating func hear(_ callback: QueueCallback) {
    switch callback {
    case .completed(let call, _):
      if openCalls.remove(call) == nil { violations.append("a call was completed twice") }
    case .updated(let transactions):
      for transaction in transactions { hear(transaction) }
    case .removed(let transactions):
      for id in transactions.map(\.id) {
        if rules.orders[id]?.finished == true { known[id] = nil }
        if wantsFinish.remove(id) != nil, known.removeValue(forKey: id) != .failed { finished.insert(id) }
      }
    case .revoked(let transactions):
      for id in transactions.map(\.id) where !refunds.insert(id).inserted { violations.append("refunded twice: \(id)") }
      send(.revocationsTold(transactions.map(\.id)))
    case .storefrontChanged, .restoreFinished, .restoreFailed: break
    }
  }

  private mutating func hear(_ transaction: OnsidePaymentTransaction) {
    let (id, state) = (transaction.id, transaction.transactionState)
    if state == .purchased, finished.contains(id) { violations.append("finished and delivered again: \(id)") }
    guard state != .purchasing else { return }
    if state != .failed {
      granted.insert(id)
      if refunds.contains(id) { violations.append("refunded and delivered again: \(id)") }
    }
    if let old = known.updateValue(state, forKey: id), old != state {
      violations.append("two final states: \(id) was \(old), is \(state)")
    }
  }

  // MARK: Events and effects

  private mutating func send(_ event: QueueEvent) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private mutating func perform(_ effect: QueueEffect) {
    switch effect {
    case .write, .erase, .saveCursor: diskLine.append(effect)
    case .signIn(let call): pending.append(.login(call))
    case .regionLearned(let country, let account):
      guard signedIn?.accountID == account.accountID else { return }
      signedIn?.country = country
      send(.account(member))
    case .sessionEnded: signIn(nil)
    case .askAfterLogin(let call, _): pending.append(.events([.afterLoginAnswered(call, chance(90))]))
    case .askStorefront(let id, let step, _, _): pending.append(.gate(id, step: step))
    case .finish(_, let owner, _): pending.append(.request(effect, of: owner, isOrphan: false))
    case .order, .check, .cancel, .claim, .sync, .fetchRestorable:
      pending.append(.request(effect, of: signedIn?.accountID, isOrphan: false))
    case .present(let id, let step, _): pending.append(.screen(id, step: step, isOrphan: false))
    case .closeScreen(let id):
      pending.removeAll { if case .screen(let open, _, false) = $0 { open == id } else { false } }
    case .stopSync, .abandonCalls:
      pending.removeAll { if case .request(.sync, _, _) = $0 { true } else { false } }
    case .pause(_, _, let event), .wait(_, let event): pending.append(.events([event]))
    case .tell(let callback): hear(callback)
    case .replay: machine.replays(of: machine.book.visible).forEach { hear($0) }
    case .warn, .load, .bringBack, .parted: break
    }
  }

  /// Something that is on its way arrives.
  private mutating func arrive() {
    let ready = pending.indices.filter { !isIdlePoll(pending[$0]) }
    guard let index = ready.randomElement(using: &random) else { return }
    switch pending.remove(at: index) {
    case .events(let events): for event in events { send(event) }
    case .login(let call): login(call)
    case .gate(let id, let step):
      let region = signedIn?.country ?? .netherlands
      send(.purchase(id, step: step, .answered(chance(80) ? .goOn : .stop, region)))
    case .screen(let id, let step, let isOrphan):
      let end = actOnScreen(id)
      if !isOrphan { send(.purchase(id, step: step, .closed(end))) }
    case .request(let effect, let account, let isOrphan):
      serve(effect, of: account, isOrphan: isOrphan)
    }
  }

  private mutating func login(_ call: CallID) {
    if signedIn != nil { return send(.loginEnded(call, .success(.alreadySignedIn), member)) }
    guard chance(80), let account = Self.accounts.randomElement(using: &random) else {
      return send(.loginEnded(call, .failure(.loginDiscarded), nil))
    }
    signIn(account)
    send(.loginEnded(call, .success(.loggedIn), member))
  }

  private mutating func actOnScreen(_ id: UUID) -> Result<PaymentScreenEnd, StoreError> {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: rules.pay(id)
    case 6: rules.hold(id)
    case 7: return .failure(.presentationFailed)
    default: break
    }
    return .success(.closed)
  }

  // MARK: The network and the store

  private mutating func serve(_ effect: QueueEffect, of account: AccountID?, isOrphan: Bool) {
    if !isCalm, !isOrphan, chance(10) { return answer(effect, failing: .connection) }
    // The session of an account that has logged out may have been ended already.
    if case .finish = effect, !isOrphan, account != signedIn?.accountID, chance(30) {
      return answer(effect, failing: .notSignedIn)
    }
    let events = execute(effect, of: account)
    if !isCalm, chance(10) { pending.append(.request(effect, of: account, isOrphan: true)) }
    if isOrphan { return }
    if !isCalm, chance(10) { return answer(effect, failing: .serviceUnavailable) }
    pending.append(.events(events))
  }

  private mutating func answer(_ effect: QueueEffect, failing error: StoreError) {
    pending.append(.events([event(effect, failing: error)]))
  }

  private func event(_ effect: QueueEffect, failing error: StoreError) -> QueueEvent {
    switch effect {
    case .order(let id, let step, _): .purchase(id, step: step, .ordered(.failure(error)))
    case .check(let id, let step), .cancel(let id, let step, _), .claim(let id, let step):
      .purchase(id, step: step, .told(.failure(error)))
    case .finish(let id, _, let round): .finishAnswered(id, round: round, error)
    case .sync(let round, _): .syncEnded(round: round, .failure(error))
    case .fetchRestorable(let round): .restoreEnded(round: round, error)
    default: preconditionFailure("\(effect) is no call to the store")
    }
  }

  /// The store does what a call asks for, for the account that it was made with.
  private mutating func execute(_ effect: QueueEffect, of account: AccountID?) -> [QueueEvent] {
    guard let account else { return [event(effect, failing: .notSignedIn)] }
    do throws(StoreError) {
      switch effect {
      case .order(let id, let step, let request):
        return [.purchase(id, step: step, .ordered(.success(try rules.make(id, request: request, of: account))))]
      case .check(let id, let step), .claim(let id, let step):
        return [.purchase(id, step: step, .told(.success(try rules.order(id, of: account))))]
      case .cancel(let id, let step, let reason):
        return [.purchase(id, step: step, .told(.success(try rules.cancel(id, of: account, because: reason))))]
      case .finish(let id, _, let round):
        try rules.finish(id, of: account)
        return [.finishAnswered(id, round: round, nil)]
      case .sync(let round, let cursor):
        let message = try rules.sync(since: cursor, account)
        let isEmpty = message.orders.isEmpty && message.cursor == cursor
        let end = SyncEnd(
          cursor: message.cursor, country: message.country, isEmpty: isEmpty, startedOver: message.startsOver)
        return [.synced(round: round, message.orders), .syncEnded(round: round, .success(end))]
      case .fetchRestorable(let round):
        return [.restored(round: round, rules.restorable(account)), .restoreEnded(round: round, nil)]
      default: preconditionFailure("\(effect) is no call to the store")
      }
    } catch {
      return [event(effect, failing: error)]
    }
  }

  private mutating func disturbStore() {
    let account = (Self.accounts.randomElement(using: &random) ?? QueueHarness.alice).accountID
    let order = rules.orders.keys.sorted { $0.uuidString < $1.uuidString }.randomElement(using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: rules.sellElsewhere(RuleProducts.coins, to: account)
    case 1: if let order { rules.refund(order) }
    case 2: if let order, let owner = rules.owners[order] { try? rules.finish(order, of: owner) }
    case 3: rules.move(account, to: [.netherlands, .unitedStates].randomElement(using: &random) ?? .netherlands)
    default: if let order, rules.orders[order]?.state == .processing { rules.pay(order) }
    }
  }

  private func isIdlePoll(_ pending: Pending) -> Bool {
    guard case .request(.sync(_, let cursor?), let account?, _) = pending else { return false }
    return !rules.hasNews(since: cursor, account)
  }

  // MARK: The disk and the process

  private mutating func workDisk() {
    guard !diskLine.isEmpty else { return }
    switch diskLine.removeFirst() {
    case .write(let entries, let then, let otherwise):
      if !isCalm, then != nil, chance(3) { return otherwise.map { send($0) } ?? () }
      for entry in entries { disk[entry.id] = entry }
      if let then { send(then) }
    case .erase(let ids, let then, _):
      for id in ids { disk[id] = nil }
      if let then { send(then) }
    case .saveCursor(let account, let cursor): cursors[account] = cursor
    default: load()
    }
  }

  private mutating func load() {
    let byAccount = Dictionary(grouping: disk.values, by: \.account)
    var books: [AccountID: TransactionBook] = [:]
    for account in Self.accounts.map(\.accountID) {
      books[account] = TransactionBook(byAccount[account] ?? [], cursor: cursors[account])
    }
    send(.loaded(books))
  }

  /// The process ends. What it had sent may still arrive, and the user may go on in a browser.
  private mutating func kill() {
    let sent = pending.compactMap { pending -> Pending? in
      switch pending {
      case .request(let effect, let account, _) where effect.changesOrders:
        return .request(effect, of: account, isOrphan: true)
      case .screen(let id, let step, _): return .screen(id, step: step, isOrphan: true)
      default: return nil
      }
    }
    pending = sent
    machine = QueueMachine(launch: "walk")
    diskLine = []
    openCalls = []
    wantsFinish = []
    // Nothing shows whether the app was done with these: they are told again.
    refunds = refunds.filter { disk[$0].map { $0.owesRevocation != true } ?? false }
    // What a restore brought but the disk had not taken yet comes as whatever the store says.
    known = known.filter { $0.value != .restored || disk[$0.key]?.state == .restored }
    start()
  }

  private mutating func start() {
    send(.account(member))
    // Stands for reading the disk, which is the first thing in the line.
    diskLine.append(.stopSync)
    send(.observersChanged(hasAny: true))
  }

  private mutating func newID() -> UUID {
    made += 1
    return UUID.version7(at: StoreRules.date + Double(made), random: [UInt8](repeating: UInt8(made % 251), count: 10))
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}

extension QueueEffect {
  /// Whether it is a call that leaves something behind at the store.
  fileprivate var changesOrders: Bool {
    switch self {
    case .order, .finish, .cancel: true
    default: false
    }
  }
}
