import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// Consumables that one device at a time may deliver.
@Suite("The delivery of consumables", .timeLimit(.minutes(5)))
struct QueueClaimTests {
  private let id = QueueHarness.uuid(9)
  private var machine = QueueMachine.signedIn(observed: true)

  private func order(_ holder: DeliveryHolder?, seconds: Int? = nil) throws -> OrderMessage {
    var order = try OrderMessage.paid(id)
    order.delivery = holder.map { DeliveryMessage($0, seconds: seconds) }
    return order
  }

  private mutating func sync(_ order: OrderMessage) -> [QueueEffect] {
    machine.handle(.synced(round: machine.sync.round, [order]))
  }

  private mutating func answer(_ order: OrderMessage) throws -> [QueueEffect] {
    let step = try #require(machine.purchases[id]?.step)
    return machine.handle(.purchase(id, step: step, .told(.success(order))))
  }

  private mutating func event(_ event: PurchaseMachine.Event) throws -> [QueueEffect] {
    let step = try #require(machine.purchases[id]?.step)
    return machine.handle(.purchase(id, step: step, event))
  }

  @Test("QUE-22: a consumable of another device is claimed at the store before the app is told")
  mutating func claim() throws {
    let effects = sync(try order(.free))
    #expect(effects.claims == [id] && effects.told.isEmpty)
    #expect(machine.transactions.isEmpty)
    #expect(effects.written.map(\.isUnclaimed) == [true], "a kill loses no claim")
    let told = try answer(try order(.here)).told
    #expect(told.map(\.transactionState) == [.purchased])
    #expect(told.map(\.deliveryReason) == [.elsewhere])
    #expect(machine.transactions.map(\.id) == [id])
  }

  @Test("QUE-22: what another device delivers is asked for again once that may have been silent for long enough")
  mutating func elsewhere() throws {
    let effects = sync(try order(.elsewhere, seconds: 240))
    #expect(effects.waits == [240] && effects.claims.isEmpty && machine.transactions.isEmpty)
    let step = try #require(machine.purchases[id]?.step)
    #expect(machine.handle(.purchase(id, step: step, .again)).claims == [id])
    let waits = try answer(try order(.elsewhere, seconds: 30)).waits
    #expect(waits == [30])
  }

  @Test("QUE-22: a claim that is lost is made again", arguments: [StoreError.connection, .serviceUnavailable])
  mutating func lost(error: StoreError) throws {
    _ = sync(try order(.free))
    let step = try #require(machine.purchases[id]?.step)
    let pauses = machine.handle(.purchase(id, step: step, .told(.failure(error))))
    #expect(pauses.told.isEmpty)
    let again = try #require(machine.purchases[id]?.step)
    #expect(machine.handle(.purchase(id, step: again, .again)).claims == [id])
  }

  @Test(
    "QUE-22: a claim that a store refuses, as one older than claims does, loses nothing: the order is asked about",
    arguments: [StoreError.notFound, .refused(.forbidden)])
  mutating func refused(error: StoreError) throws {
    _ = sync(try order(.free))
    let waits = try event(.told(.failure(error))).waits
    #expect(waits == [PurchaseMachine.claimPause])
    #expect(machine.book[id]?.isUnclaimed == true)
    let checks = try event(.again).checks
    #expect(checks == [id])
    let ids = try answer(try order(nil)).told.map(\.id)
    #expect(ids == [id])
  }

  @Test("QUE-22: what the store does not know any more is forgotten, and comes again should it be paid after all")
  mutating func unknownToTheStore() throws {
    _ = sync(try order(.free))
    _ = try event(.told(.failure(.notFound)))
    _ = try event(.again)
    let effects = try event(.told(.failure(.notFound)))
    #expect(effects.told.isEmpty && effects.removed.isEmpty && machine.book[id] == nil)
    let disk = effects.compactMap { effect in
      switch effect {
      case .disk(.saveCursor(_, nil)): "no cursor"
      case .disk(.erase): "erase"
      default: nil
      }
    }
    #expect(disk == ["no cursor", "erase"])
    #expect(machine.book.cursor == nil)
  }

  @Test("QUE-22, QUE-13: what its device finishes meanwhile is forgotten; the app never hears of it")
  mutating func finishedThere() throws {
    _ = sync(try order(.elsewhere, seconds: 240))
    var finished = try order(nil)
    finished.finished = true
    let effects = sync(finished)
    #expect(effects.told.isEmpty && effects.removed.isEmpty && machine.book[id] == nil)
    // The same by the answer to a claim.
    _ = sync(try order(.free))
    let answered = try answer(finished)
    #expect(answered.told.isEmpty && answered.removed.isEmpty && machine.book[id] == nil)
  }

  @Test(
    "QUE-19, QUE-22: a purchase that is refunded before this device may deliver it is forgotten without a callback",
    arguments: [true, false])
  mutating func refundedThere(bySync: Bool) throws {
    _ = sync(try order(.free))
    var refunded = try order(nil)
    refunded.revokedAt = FakeRules.date
    let effects = try bySync ? sync(refunded) : answer(refunded)
    #expect(effects.told.isEmpty && effects.removed.isEmpty && effects.written.isEmpty)
    #expect(machine.transactions.isEmpty && machine.book[id] == nil && machine.book.untold.isEmpty)
    #expect(sync(refunded).isEmpty)
  }

  @Test("QUE-22: a sync that says free makes a claim again that is under way or pauses, and its answer counts")
  mutating func freeMeanwhile() throws {
    let claims = sync(try order(.free)).claims
    #expect(claims == [id])
    let secondClaims = sync(try order(.free)).claims
    #expect(secondClaims == [id])
    let waits = try answer(try order(.elsewhere, seconds: 60)).waits
    #expect(waits == [60])
    let thirdClaims = sync(try order(.free)).claims
    #expect(thirdClaims == [id])
    let ids = try answer(try order(.here)).told.map(\.id)
    #expect(ids == [id])
  }

  @Test("QUE-22, QUE-24: what is paid and waits to be delivered here is not cancelled")
  mutating func notCancelled() throws {
    _ = sync(try order(.free))
    #expect(machine.handle(.cancel(id)).isEmpty)
    let ids = try answer(try order(.here)).told.map(\.id)
    #expect(ids == [id])
  }

  @Test("QUE-22: the device that has the delivery tells its app at once; everything else goes to all devices")
  mutating func atOnce() throws {
    let ids = sync(try order(.here)).told.map(\.id)
    #expect(ids == [id])
    machine = .signedIn(observed: true)
    let secondIds = sync(try order(nil)).told.map(\.id)
    #expect(secondIds == [id])
  }

  @Test("QUE-22: a claim that a kill has cut off is made by the next launch")
  mutating func restart() throws {
    let entry = try #require(sync(try order(.free)).written.first)
    var next = QueueMachine(launch: "next")
    let storefront = OnsideStorefront(id: "nl", countryCode: "NL")
    _ = next.handle(.account(Member(signedIn: QueueHarness.alice, storefront: storefront)))
    _ = next.handle(.loaded([QueueHarness.alice.accountID: TransactionBook([entry], cursor: "7")]))
    #expect(next.transactions.isEmpty)
    #expect(next.handle(.observersChanged(hasAny: true)).claims == [id])
  }

  @Test("QUE-22: without an observer nothing is claimed, and what was given meanwhile is claimed anew")
  mutating func unobserved() throws {
    _ = sync(try order(.free))
    _ = machine.handle(.observersChanged(hasAny: false))
    #expect(try answer(try order(.here)).told.isEmpty)
    #expect(machine.transactions.isEmpty)
    #expect(machine.handle(.observersChanged(hasAny: true)).claims == [id])
    let ids = try answer(try order(.here)).told.map(\.id)
    #expect(ids == [id])
  }

  @Test("QUE-22: the device's own payment that another one has taken over meanwhile stays open until that is decided")
  mutating func ownPayment() throws {
    let payment = OnsidePayment(product: OnsideProduct(try order(nil).product))
    let request = AddRequest(
      call: QueueHarness.uuid(2), payment: payment, id: id, date: FakeRules.date, provisionalCountry: nil)
    _ = machine.handle(.add(request))
    _ = machine.handle(.enlisted(id, onDisk: true))
    #expect(sync(try order(.elsewhere, seconds: 60)).told.isEmpty)
    #expect(machine.transactions.map(\.transactionState) == [.purchasing])
    let step = try #require(machine.purchases[id]?.step)
    _ = machine.handle(.purchase(id, step: step, .again))
    let transactionStates = try answer(try order(.here)).told.map(\.transactionState)
    #expect(transactionStates == [.purchased])
  }
}

extension [QueueEffect] {
  fileprivate var claims: [UUID] { compactMap { if case .payment(let id, _, .claim) = $0 { id } else { nil } } }
  fileprivate var checks: [UUID] { compactMap { if case .payment(let id, _, .check) = $0 { id } else { nil } } }
  fileprivate var waits: [Int] {
    compactMap { if case .payment(_, _, .rest(let seconds)) = $0 { seconds } else { nil } }
  }
  fileprivate var written: [QueueEntry] {
    flatMap { effect -> [QueueEntry] in
      if case .disk(.write(let entries, _, _)) = effect { entries } else { [] }
    }
  }
  fileprivate var told: [OnsidePaymentTransaction] {
    flatMap { effect -> [OnsidePaymentTransaction] in
      if case .tell(.updated(let told)) = effect { told } else { [] }
    }
  }
  fileprivate var revoked: [OnsidePaymentTransaction] {
    flatMap { effect -> [OnsidePaymentTransaction] in
      if case .tell(.revoked(let told)) = effect { told } else { [] }
    }
  }
  fileprivate var removed: [OnsidePaymentTransaction] {
    flatMap { effect -> [OnsidePaymentTransaction] in
      if case .tell(.removed(let removed)) = effect { removed } else { [] }
    }
  }
}
