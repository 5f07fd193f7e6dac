import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreSales

/// Ends a subscription for its account, or all of an app: `onside subscription stop`.
struct StopSubscription: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends a subscription, or all of an app, with the period that is paid, or at once.",
    discussion: """
      The renewal is switched off, as its account can do on the page of the subscription: nothing more is charged, what \
      is paid stays to its end, and what is unpaid or paused is over. The account can switch it on again until then.
      With --now the period that runs ends at once. --refund says what goes back of its price: whole (the default of one subscription) all \
      that is left, as with `onside refund` of its order; unused the part for the rest of the time; none nothing.
      Without --account and --group all active subscriptions of the app are stopped, each by itself: one that fails \
      stops no other, and the command may be repeated.
      """)

  @OptionGroup var options: ChangeOptions
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String?
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String?
  @Flag(help: "End the period that runs at once.") var now = false
  @Option(help: "With --now, what goes back of its price: whole, unused or none. Default of one: whole.")
  var refund: StopRefund?

  func validate() throws {
    guard (account == nil) == (group == nil) else {
      throw ValidationError("expected --account and --group, or neither of them for all subscriptions of the app")
    }
    guard refund == nil || now else { throw ValidationError("--refund: expected it with --now") }
    guard !now || account != nil || refund != nil else {
      throw ValidationError("--now: expected --refund whole, unused or none for all subscriptions of the app")
    }
  }

  func run() async throws {
    let refund = now ? refund ?? .whole : nil
    let arguments: [String: String?] = [
      "app": app, "group": group, "now": now ? "yes" : nil, "refund": refund?.rawValue,
    ]
    try await options.withStore(CommandAct("subscription stop", of: account?.lowercased() ?? app, arguments)) { core in
      if let account, let group {
        try await stop(SubscriptionKey(account: account.lowercased(), app: app, group: group), refund: refund, in: core)
      } else {
        _ = try core.registered(app)
        try await stopAll(refund: refund, in: core)
      }
    }
  }

  private func stop(_ key: SubscriptionKey, refund: StopRefund?, in core: StoreCore) async throws {
    do {
      let outcome =
        if let refund {
          try await core.subscriptions.stopAtOnce(key, because: .support, refund: refund)
        } else {
          try await core.subscriptions.stop(key)
        }
      guard let outcome else { throw CommandFailure.noSubscription(key) }
      print(outcome.inWords)
    } catch let error as RefundError {
      throw CommandFailure("--now: \(error). Nothing was changed; without --now it ends with its period.")
    }
    try await core.showSubscription(key)
  }

  private func stopAll(refund: StopRefund?, in core: StoreCore) async throws {
    let summary = try await core.subscriptions.stopAll(of: app, because: .support, refund: refund)
    for line in summary.lines { print(line) }
    guard !summary.failures.isEmpty else { return }
    let lines = summary.failures.map { "account \($0.key.account), group \($0.key.group): \($0.reason)" }
    throw CommandFailure(
      "expected to stop all subscriptions, but not stopped: \(lines.count)\n" + lines.joined(separator: "\n"))
  }
}

extension StopSummary {
  /// A line for each outcome.
  fileprivate var lines: [String] {
    let lines = [
      lastEnd.map { "They end with their paid period, the last one on \($0.ISO8601Format()): \(endingCount)" },
      overCount > 0 ? "They are over: \(overCount)" : nil,
      chargedCount > 0 ? "They end after a charge that the provider has not answered: \(chargedCount)" : nil,
    ].compactMap(\.self)
    return lines.isEmpty && failures.isEmpty ? ["The app has no active subscription."] : lines
  }
}

extension StopOutcome {
  fileprivate var inWords: String {
    switch self {
    case .endsWithPeriod(let end): "Nothing more is charged; it ends on \(end.ISO8601Format())."
    case .over: "It is over, and nothing more is charged."
    case .lastChargeIsOpen:
      "The provider has not answered to the charge of the next period: that one is the last, and is not tried again."
    }
  }
}
