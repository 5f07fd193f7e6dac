@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales

/// A kind of subscription, and what its buyer and the store's operator do until it is one.
struct FixtureKind: Sendable {
  typealias Act = @Sendable (FixtureBuyer) async throws -> Void

  /// Its account's address, and the token of its orders.
  let name: String
  /// What is done, and when.
  let acts: [(String, Act)]
  /// Whether its account can be written to.
  var hasAddress = true

  init(_ name: String, _ acts: (String, Act)...) { (self.name, self.acts) = (name, acts) }

  static let all = offers + cards + unpaid + wishes + prices + ends

  private static let offers = [
    FixtureKind("trial", ("03-10T00:00", { try await $0.buy("small") })),
    FixtureKind("pay-as-you-go", ("03-01T00:00", { try await $0.buy("steps") })),
    FixtureKind(
      "paid-ahead", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.redeemCode() })),
  ]

  private static let cards = [
    FixtureKind("saved-card", ("02-01T00:00", { try await $0.buy() })),
    FixtureKind(
      "saved-visa-not-first",
      (
        "03-01T00:00",
        { buyer in
          let visa = try await buyer.save(.succeeds)
          try await buyer.save(.callbackTwice)
          try await buyer.pay("basic", with: .saved(visa, keep: true))
        }
      )),
    FixtureKind(
      "kept-card", ("02-01T00:00", { try await $0.buy(saving: false) }),
      ("03-05T00:00", { try await $0.save(.callbackTwice) })),
    // Without its login, who opens the page of an order pays with a card that is kept for the subscription alone.
    FixtureKind("paid-by-stranger", ("03-01T00:00", { try await $0.buy(saving: false) })),
    FixtureKind(
      "two-apps", ("03-01T00:00", { try await $0.buy(saving: false) }),
      ("03-02T00:00", { try await $0.inOtherApp.buy(saving: false) })),
    FixtureKind(
      "card-removed", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.removeCard() })),
  ]

  private static let unpaid = [
    FixtureKind("paid-in-the-hour", ("02-15T12:30", { try await $0.buy() })),
    FixtureKind(
      "charge-open", ("02-15T12:30", { try await $0.buy() }), ("03-01T00:00", { try await $0.save(.neverSettles) })),
    FixtureKind(
      "grace", ("02-10T00:00", { try await $0.buy() }), ("03-01T00:00", { try await $0.save(.declined) })),
    FixtureKind(
      "grace-other-card", ("02-10T00:00", { try await $0.buy() }), ("03-01T00:00", { try await $0.save(.declined) }),
      ("03-14T00:00", { try await $0.removeCard() })),
    FixtureKind(
      "grace-no-card", ("02-10T00:00", { try await $0.buy() }), ("03-01T00:00", { try await $0.removeCard() })),
    FixtureKind(
      "grace-second-step", ("02-10T00:00", { try await $0.buy() }),
      ("03-01T00:00", { try await $0.save(.secondStep) })),
    FixtureKind(
      "grace-chosen-plan", ("02-10T00:00", { try await $0.buy() }),
      ("03-01T00:00", { try await $0.choose("small", at: 499) }),
      ("03-01T00:01", { try await $0.save(.declined) })),
    FixtureKind(
      "grace-disputed", ("02-10T00:00", { try await $0.buy() }), ("02-20T00:00", { try await $0.dispute() })),
    FixtureKind(
      "retry-kept-declined", ("01-20T00:00", { try await $0.buy(saving: false) }),
      ("02-01T00:00", { try await $0.save(.declined) }), ("02-01T00:01", { try await $0.loseKeptCard() })),
  ]

  private static let wishes = [
    FixtureKind("renewal-off", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.switchOff() })),
    FixtureKind(
      "chosen-plan", ("03-01T00:00", { try await $0.buy() }),
      ("03-05T00:00", { try await $0.choose("small", at: 499) })),
    FixtureKind(
      "paused", ("01-10T00:00", { try await $0.buy() }), ("01-20T00:00", { try await $0.pause(months: 3) })),
    FixtureKind(
      "planned-pause", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.pause(months: 1) })),
    FixtureKind("moved", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.move() })),
    FixtureKind(
      "moved-chosen-plan", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.move() }),
      ("03-05T00:01", { try await $0.choose("small", at: 549) })),
  ]

  private static let prices: [FixtureKind] = {
    // Their names are those of their plans.
    var deferred = FixtureKind(
      "deferred", ("02-10T00:00", { try await $0.buy("deferred") }), ("02-20T00:00", { try await $0.reprice() }))
    deferred.hasAddress = false
    return [
      FixtureKind(
        "told", ("03-01T00:00", { try await $0.buy("told") }), ("03-05T00:00", { try await $0.reprice() })),
      FixtureKind(
        "asked", ("03-01T00:00", { try await $0.buy("asked") }), ("03-05T00:00", { try await $0.reprice() })),
      FixtureKind(
        "accepted", ("03-01T00:00", { try await $0.buy("accepted") }), ("03-05T00:00", { try await $0.reprice() }),
        ("03-06T00:00", { try await $0.answer(accepts: true) })),
      FixtureKind(
        "declined", ("03-01T00:00", { try await $0.buy("declined") }), ("03-05T00:00", { try await $0.reprice() }),
        ("03-06T00:00", { try await $0.answer(accepts: false) })),
      deferred,
    ]
  }()

  private static let ends = [
    FixtureKind(
      "refund-failed", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.refundInVain() })),
    FixtureKind("expired", ("01-20T00:00", { try await $0.buy() }), ("01-25T00:00", { try await $0.switchOff() })),
    FixtureKind("revoked", ("03-01T00:00", { try await $0.buy() }), ("03-05T00:00", { try await $0.refund() })),
  ]
}
