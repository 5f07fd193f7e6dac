import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("When a device asks what the account may use", .timeLimit(.minutes(5)))
struct EntitlementMachineTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let account = SignedIn.alice.accountID
  private static let proof = EntitlementProof(list: "a.b.c", keys: Data())

  /// A list that came now: something that lasts, and a subscription of so many days.
  private static func known(subscriptionDays days: Double = 10) -> KnownEntitlements {
    let subscription = Entitlement(
      productID: "pro", productType: .autoRenewableSubscription, subscriptionID: "plans", orderID: UUID(),
      purchaseDate: now, expiresAt: now + days * 86_400, willRenew: true)
    let list = EntitlementList(
      bundleID: "io.example.lumen", environment: .sandbox, subject: "", issuedAt: now,
      validUntil: now + EntitlementList.lifetime, entitlements: [subscription])
    return KnownEntitlements(list, of: account, receivedAt: now)
  }

  private static func answered(subscriptionDays days: Double = 10) -> EntitlementMachine {
    var machine = EntitlementMachine()
    machine.follow(account)
    machine.loaded(nil, nil)
    machine.startRefresh()
    machine.received(known(subscriptionDays: days), proof, at: now)
    return machine
  }

  @Test("ENT-2: logged out, nobody is asked and nothing is waited for")
  func loggedOut() {
    var machine = EntitlementMachine()
    #expect(!machine.isSettled(at: Self.now), "the disk is not read")
    machine.loaded(nil, nil)
    #expect(machine.isSettled(at: Self.now) && !machine.isRefreshDue(at: Self.now))
  }

  @Test("ENT-2: what the disk has is told at once, and asked for anew; another account begins without it")
  func disk() {
    var machine = EntitlementMachine()
    machine.follow(Self.account)
    machine.loaded(Self.known(), Self.proof)
    #expect(machine.isSettled(at: Self.now) && machine.isRefreshDue(at: Self.now))
    let told = machine.entitlements(at: Self.now)
    #expect(told.map(\.productIdentifier) == ["pro"])
    machine.follow(SignedIn.bob.accountID)
    let other = machine.entitlements(at: Self.now)
    #expect(other.isEmpty && !machine.isSettled(at: Self.now))
  }

  @Test("ENT-5: the store is asked again after a day, half an hour before a renewal, and when purchases have changed")
  func refresh() {
    var machine = Self.answered()
    #expect(!machine.isRefreshDue(at: Self.now + 86_399) && machine.isRefreshDue(at: Self.now + 86_400))
    let short = Self.answered(subscriptionDays: 0.5)
    #expect(!short.isRefreshDue(at: Self.now + 43_200 - 1801) && short.isRefreshDue(at: Self.now + 43_200 - 1800))
    machine.purchasesChanged()
    #expect(machine.isRefreshDue(at: Self.now))
  }

  @Test("ENT-5: after a failure it pauses and asks again; with a clock that is set far back it does not wait for that")
  func failure() {
    var machine = EntitlementMachine()
    machine.follow(Self.account)
    machine.loaded(nil, nil)
    machine.startRefresh()
    machine.gotNoAnswer(at: Self.now)
    machine.retryLater(isRetryable: false, jitter: 0, at: Self.now)
    #expect(machine.isSettled(at: Self.now))
    #expect(!machine.isRefreshDue(at: Self.now + 3599) && machine.isRefreshDue(at: Self.now + 3600))
    #expect(machine.isRefreshDue(at: Self.now - 7200))
  }

  @Test("ENT-5: it waits for what is due within an hour, and looks at the clock every ten minutes before that")
  func pause() {
    let machine = Self.answered()
    #expect(machine.pause(at: Self.now) == EntitlementMachine.Pause(seconds: 600, isClockCheck: true))
    let soon = Self.now + 86_400 - 3599
    #expect(machine.pause(at: soon) == EntitlementMachine.Pause(seconds: 3599, isClockCheck: false))
  }

  @Test("ENT-4: the clock is noted every ten minutes and after each step back, and not by one that was set back")
  func note() {
    var machine = Self.answered()
    machine.startWriting()
    let notes = [599, 600].map { machine.note(Self.now + $0) }
    #expect(notes == [false, true] && machine.known?.seen == Self.now + 600)
    machine.startWriting()
    let isNoted = machine.note(Self.now + 600 - 7200)
    #expect(!isNoted && machine.known?.seen == Self.now + 600)
    let isStepNoted = machine.note(Self.now + 599)
    #expect(isStepNoted && machine.known?.stepsBack == 1)
  }

  @Test("ENT-2: after a change of purchases the list is unsettled until a request has been answered or has failed")
  func change() {
    for isAnswered in [true, false] {
      var machine = Self.answered()
      machine.purchasesChanged()
      #expect(!machine.isSettled(at: Self.now))
      machine.startRefresh()
      #expect(!machine.isSettled(at: Self.now))
      if isAnswered { machine.received(Self.known(), Self.proof, at: Self.now) } else { fail(&machine) }
      #expect(machine.isSettled(at: Self.now) && !machine.isRefreshDue(at: Self.now))
      let isAskedSoon = machine.isRefreshDue(at: Self.now + 60)
      #expect(isAskedSoon == !isAnswered)
    }
  }

  @Test("ENT-2: a change during a request needs another one at once, also when the request fails")
  func changeDuringRequest() {
    for isAnswered in [true, false] {
      var machine = Self.answered()
      machine.purchasesChanged()
      machine.startRefresh()
      machine.purchasesChanged()
      if isAnswered { machine.received(Self.known(), Self.proof, at: Self.now) } else { fail(&machine) }
      #expect(!machine.isSettled(at: Self.now) && machine.isRefreshDue(at: Self.now))
    }
  }

  @Test("ENT-2: a purchase before the first read makes the list on disk unsettled")
  func changeBeforeFirstRead() {
    var machine = EntitlementMachine()
    machine.purchasesChanged()
    machine.follow(Self.account)
    machine.loaded(Self.known(), Self.proof)
    #expect(!machine.isSettled(at: Self.now) && machine.isRefreshDue(at: Self.now))
  }

  @Test("ENT-4: a clock that is set back makes the list unsettled until a request after the step has ended")
  func setBack() {
    var machine = Self.answered()
    let back = Self.now - 3601
    #expect(!machine.isSettled(at: back) && machine.isRefreshDue(at: back))
    machine.startRefresh()
    fail(&machine, at: back)
    #expect(machine.isSettled(at: back) && !machine.isRefreshDue(at: back))
    let furtherBack = back - 3601
    #expect(!machine.isSettled(at: furtherBack) && machine.isRefreshDue(at: furtherBack))
  }

  private func fail(_ machine: inout EntitlementMachine, at now: Date = Self.now) {
    machine.gotNoAnswer(at: now)
    machine.retryLater(isRetryable: true, jitter: 0, at: now)
  }
}
