import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// The simulated store's process: receives calls, writes its books to the disk, answers after the flush, and can die.
@MainActor
final class StoreServer {
  typealias Answer = @MainActor (Result<StoreAnswer, StoreError>) -> Void

  private struct Contact: Hashable {
    let account: AccountID
    let device: String
  }

  private struct Poll {
    let account: AccountID
    let device: String
    let cursor: String?
    let answer: Answer
  }

  private unowned let world: SimulatedWorld
  /// The books as the process has them.
  private(set) var books = StoreBooks()
  /// The books as they are on the disk.
  private(set) var durable = StoreBooks()
  /// The books after each transaction that is not flushed.
  private var unflushed: [StoreBooks] = []
  private var waiting: [@MainActor () -> Void] = []
  private var isFlushing = false
  private var polls: [Int: Poll] = [:]
  private var lastPoll = 0
  private var underway: Set<StoreBooks.OutboxEntry> = []
  private(set) var isUp = true
  /// The number of changes on the disk.
  private(set) var commits = 0
  /// The time of each device's last answered call for an account.
  private var heard: [Contact: Date] = [:]
  /// Orders whose delivery a device has taken over from one that was silent for long enough.
  private(set) var takenOver: [UUID: Set<String>] = [:]
  /// The number of the process; plans of an earlier one are ignored.
  private var process = 0

  init(world: SimulatedWorld) { self.world = world }

  /// Runs a transaction, and `then` once it is on the disk.
  func write<Value>(_ change: (inout StoreBooks) -> Value, then: @escaping @MainActor (Value) -> Void) {
    let value = change(&books)
    unflushed.append(books)
    waiting.append { then(value) }
    flushSoon()
  }

  /// Runs a transaction of the store itself, unless it is down.
  func change(_ change: (inout StoreBooks) -> Void) {
    guard isUp else { return }
    write(change) { _ in }
  }

  /// Gives the store its accounts.
  func found(_ accounts: [AccountID]) {
    for account in accounts { books.countries[account] = .netherlands }
    durable = books
  }

  var isSettled: Bool { unflushed.isEmpty && durable.outbox.isEmpty }

  /// Receives a call of an account; the answer is sent later or, when the process dies, is a broken connection.
  func take(_ call: DeviceCall, of account: AccountID, from device: String, answer caller: @escaping Answer) {
    guard isUp else { return caller(.failure(.connection)) }
    let now = world.agenda.clock.now
    let contact = Contact(account: account, device: device)
    let answer: Answer = { [self] result in
      if call.renewsLeases { heard[contact] = max(heard[contact] ?? now, now) }
      caller(result)
    }
    // Flushed together with the writes of the call itself, so before it is answered.
    if call.renewsLeases { write({ $0.renew(account, on: device, at: now) }, then: { _ in }) }
    switch call {
    case .order(let id, let request):
      reply(answer) { books throws(StoreError) in
        .order(try books.make(id.uuid, request: request, for: account, on: device, at: now))
      }
    case .check(let id):
      reply(answer) { books throws(StoreError) in
        .order(try books.order(id.uuid, of: account, for: device, at: now))
      }
    case .cancel(let id):
      reply(answer) { books throws(StoreError) in
        .order(try books.cancel(id.uuid, of: account, for: device, at: now))
      }
    case .claim(let id):
      note(claimOf: id.uuid, by: contact, at: now)
      reply(answer) { books throws(StoreError) in
        .order(try books.claim(id.uuid, of: account, by: device, at: now))
      }
    case .finish(let id):
      reply(answer) { books throws(StoreError) in
        try books.finish(id.uuid, of: account, on: device, at: now)
        return .done
      }
    case .restorable:
      reply(answer) { books in .orders(books.restorable(of: account, at: now)) }
    case .sync(let cursor, let seconds):
      guard seconds > 0, !books.hasNews(since: cursor, for: account) else {
        return reply(answer) { books in .sync(books.sync(since: cursor, of: account, for: device, at: now)) }
      }
      hold(Poll(account: account, device: device, cursor: cursor, answer: caller), seconds: seconds)
    }
  }

  /// Notes that a device takes over the delivery of an order from another one, which has to have been silent.
  private func note(claimOf order: UUID, by contact: Contact, at now: Date) {
    guard let known = books.orders[order], known.account == contact.account, let before = known.lease?.device,
      before != contact.device, known.delivery(for: contact.device, at: now)?.holder == .free
    else { return }
    let last = heard[Contact(account: contact.account, device: before)] ?? .distantPast
    guard now.timeIntervalSince(last) >= StoreBooks.Lease.lifetime else {
      return world.broken(.p3, text: "\(before) was heard of, and \(world.name(order)) is given to \(contact.device)")
    }
    takenOver[order, default: []].insert(contact.device)
  }

  /// Handles the payment page's button.
  func pay(_ order: UUID, answer: @escaping @MainActor (Bool) -> Void) {
    guard isUp else { return answer(false) }
    let now = world.agenda.clock.now
    write({ $0.pay(order, at: now) }, then: { _ in answer(true) })
  }

  /// Handles the provider's callback; it is answered when the event is on the disk.
  func hear(_ event: SimulatedProviderEvent, answer: @escaping @MainActor () -> Void) {
    guard isUp else { return }
    let now = world.agenda.clock.now
    write({ $0.hear(event, at: now) }, then: { _ in answer() })
  }

  /// Ends the process. A prefix of the unflushed transactions has reached the disk; no caller got an answer to them.
  func die() {
    guard isUp else { return }
    let kept = world.random.pick(0...unflushed.count)
    if kept > 0 { durable = unflushed[kept - 1] }
    commits += 1
    world.trace { _ in "store dies, \(kept) of \(self.unflushed.count) unflushed transactions stay" }
    isUp = false
    process += 1
    let unanswered = polls.sorted { $0.key < $1.key }.map(\.value)
    (unflushed, waiting, polls, underway, isFlushing) = ([], [], [:], [], false)
    books = durable
    for poll in unanswered { poll.answer(.failure(.connection)) }
    world.brokenConnections()
  }

  func start() {
    guard !isUp else { return }
    world.trace { _ in "store starts" }
    isUp = true
    runOutbox()
  }

  private func reply(
    _ answer: @escaping Answer, _ work: (inout StoreBooks) throws(StoreError) -> StoreAnswer
  ) {
    write(
      { books -> Result<StoreAnswer, StoreError> in
        do throws(StoreError) {
          let answer = try work(&books)
          return .success(answer)
        } catch {
          return .failure(error)
        }
      }, then: answer)
  }

  private func hold(_ poll: Poll, seconds: Int) {
    lastPoll += 1
    let number = lastPoll
    polls[number] = poll
    world.agenda.schedule(in: seconds * 1000) { [self] in answerPoll(number) }
  }

  private func answerPoll(_ number: Int) {
    guard let poll = polls.removeValue(forKey: number) else { return }
    let now = world.agenda.clock.now
    reply({ [self] result in
      let contact = Contact(account: poll.account, device: poll.device)
      heard[contact] = max(heard[contact] ?? now, now)
      poll.answer(result)
    }) { books in
      books.renew(poll.account, on: poll.device, at: now)
      return .sync(books.sync(since: poll.cursor, of: poll.account, for: poll.device, at: now))
    }
  }

  private func flushSoon() {
    guard !isFlushing else { return }
    isFlushing = true
    let process = process
    world.agenda.schedule(in: world.random.pick(1...15)) { [self] in
      guard process == self.process else { return }
      flush()
    }
  }

  private func flush() {
    isFlushing = false
    durable = books
    commits += 1
    if durable.ledger.reduce(0, { $0 + $1.amount }) != 0 {
      world.broken(.p5, text: "the ledger does not add up to nothing")
    }
    let answers = waiting
    (unflushed, waiting) = ([], [])
    for answer in answers { answer() }
    for (number, poll) in polls.sorted(by: { $0.key < $1.key })
    where durable.hasNews(since: poll.cursor, for: poll.account) {
      answerPoll(number)
    }
    runOutbox()
  }

  /// Sends the outbox on the disk to the provider, until it has received each entry.
  private func runOutbox() {
    for entry in durable.outbox where underway.insert(entry).inserted {
      let process = process
      let isLost = world.isRough && world.random.chance(15)
      world.agenda.schedule(in: isLost ? 5000 : world.latency()) { [self] in
        guard process == self.process else { return }
        underway.remove(entry)
        guard !isLost else { return runOutbox() }
        switch entry {
        case .charge(let payment): world.provider.charge(payment)
        case .refund(let payment): world.provider.refund(payment)
        }
        write({ $0.done(entry) }, then: { _ in })
      }
    }
  }
}

/// A call of a device to the store.
enum DeviceCall: Sendable {
  case order(OrderID, OrderRequest)
  case check(OrderID)
  case cancel(OrderID)
  case claim(OrderID)
  case finish(OrderID)
  case sync(String?, wait: Int)
  case restorable

  /// Whether it renews the leases of the device that makes it, as at the real store.
  var renewsLeases: Bool {
    switch self {
    case .check, .cancel, .sync: true
    case .order, .claim, .finish, .restorable: false
    }
  }
}

/// An answer of the store.
enum StoreAnswer: Sendable {
  case order(OrderMessage)
  case orders([OrderMessage])
  case sync(SyncMessage)
  case done
}
