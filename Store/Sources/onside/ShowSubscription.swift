import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// One subscription for support: `onside subscription show`.
struct ShowSubscription: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows where a subscription stands, and how it came there.",
    discussion: """
      The walk has an order for each period, in the order of time: its reason, price and end, the tries to pay it with \
      their refusals, and what went back.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String

  func run() async throws {
    try await options.withStore { core in
      try await core.showSubscription(SubscriptionKey(account: account.lowercased(), app: app, group: group))
    }
  }
}

extension StoreCore {
  /// Prints a subscription, and how it came where it stands.
  func showSubscription(_ key: SubscriptionKey) async throws {
    let known = try await dependencies.database.read { try SubscriptionDetails(of: key, in: $0) }
    guard let known else { throw CommandFailure.noSubscription(key) }
    known.show()
  }
}

extension CommandFailure {
  static func noSubscription(_ key: SubscriptionKey) -> CommandFailure {
    CommandFailure(
      "expected an account that has subscribed in the group \(key.group) of \(key.app), got \(key.account); "
        + "`onside subscription list` shows the subscriptions")
  }
}

extension SubscriptionDetails {
  /// Prints what is known, a line for each fact, and the walk.
  func show() {
    for case (let name, let value?) in facts + consents.map(\.fact) + prices.map(\.fact) {
      print(name + String(repeating: " ", count: 14 - name.count) + value)
    }
    print("walk")
    for step in walk { step.show() }
  }

  private var facts: [(String, String?)] {
    [
      ("account", listing.key.account), ("app", listing.key.app), ("group", listing.key.group), ("state", state),
      ("product", listing.product), ("price", machine.period.map { "\($0.plan.price) for \($0.plan.period)" }),
      ("paid until", listing.paidUntil?.ISO8601Format()),
      ("renewal", machine.isSubscribed ? (machine.autoRenews ? "on" : "off") : nil),
      ("next charge", nextCharge), ("next plan", machine.nextPlan.map { "\($0.productID) for \($0.price)" }),
      ("next offer", machine.nextOffer.map { "\($0.offer.price), then \($0.plan.price)" }),
      ("pause", pause), ("grace until", machine.graceUntil?.ISO8601Format()),
      ("tries until", machine.isBeingRenewed ? machine.retryEnd?.ISO8601Format() : nil), ("method", chargedMethod),
      ("dispute", dispute.map { "\($0) is open: no renewal is charged before its end" }),
      ("due", listing.due?.ISO8601Format()),
    ]
  }

  private var state: String {
    switch machine.stage {
    case .expired(let reason): "\(listing.state) (\(reason.rawValue))"
    case .revoked(let revocation): "\(listing.state) \(revocation.date.ISO8601Format()) (\(revocation.reason.rawValue))"
    default: listing.state
    }
  }

  private var nextCharge: String? {
    if let charge = machine.openCharge { return "\(charge.price), asked for and not answered" }
    guard let price = machine.nextPrice, machine.isSubscribed, machine.autoRenews else { return nil }
    guard !machine.awaitsConsent else { return "none before the account agrees to \(price)" }
    return machine.nextChargeAt.map { "\(price) on \($0.ISO8601Format())" } ?? "\(price), not before another method"
  }

  private var pause: String? {
    if case .paused(let until) = machine.stage { return "until \(until?.ISO8601Format() ?? "it is ended by hand")" }
    return machine.plannedPauseEnd.map {
      "planned from \(listing.paidUntil?.ISO8601Format() ?? "") until \($0.ISO8601Format())"
    }
  }

  private var chargedMethod: String? {
    guard machine.isSubscribed else { return nil }
    guard let method else { return "none" }
    return "\(method.name) at \(method.provider), \(method.isSaved ? "saved" : "for subscriptions alone")"
  }
}

extension SubscriptionDetails.Consent {
  /// A line about it.
  fileprivate var fact: (String, String?) {
    ("consent", "up to \(price) for \(product), \(date.ISO8601Format()), by \(giver) (\(way))")
  }
}

extension PriceChange {
  /// A line about it.
  fileprivate var fact: (String, String?) {
    let what = "\(old) to \(new) from \(appliesAt.ISO8601Format())"
    let asked = "\(needsConsent ? "asked" : "told") \(askedAt.ISO8601Format())"
    guard let answer else { return ("new price", "\(what), \(asked)\(needsConsent ? ", not answered" : "")") }
    let word =
      switch answer {
      case .deferred: "no message was sent in time: the old price stays"
      case .unanswered: "not answered: the old price stays"
      default: answer.rawValue
      }
    return ("new price", "\(what), \(asked), \(word) \(answeredAt?.ISO8601Format() ?? "")")
  }
}

extension SubscriptionDetails.Step {
  /// Prints the order, and below it what happened to its money.
  fileprivate func show() {
    let end = order.expiresAt.map { " until \($0.ISO8601Format())" } ?? ""
    print(
      "  \(order.createdAt.ISO8601Format())  period \(period), \(order.reason.rawValue): \(order.product) for \(order.price), "
        + "\(order.stateInWords)\(end), order \(order.id)")
    for event in events { print("    \(event.date.ISO8601Format())  \(event.text)") }
  }
}
