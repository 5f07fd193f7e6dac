import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore

/// Ends a subscription for its account: `onside subscription stop`.
struct StopSubscription: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends a subscription with the period that is paid, or at once.",
    discussion: """
      The renewal is switched off, as its account can do on the page of the subscription: nothing more is charged, what \
      is paid stays to its end, and what is unpaid or paused is over. The account can switch it on again until then.
      With --now the period that runs is taken away, and what is left of its price goes back, as with `onside refund` of \
      its order. Nothing that is paid is taken away without its money.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String
  @Flag(help: "Take the period that runs away, and give its money back.") var now = false

  func run() async throws {
    let key = SubscriptionKey(account: account.lowercased(), app: app, group: group)
    try await options.withStore { core in
      guard let outcome = try await stop(key, core) else { throw CommandFailure.noSubscription(key) }
      print(outcome.inWords)
      try await core.showSubscription(key)
    }
  }

  private func stop(_ key: SubscriptionKey, _ core: StoreCore) async throws -> StopOutcome? {
    guard now else { return try await core.subscriptions.stop(key) }
    do { return try await core.subscriptions.stopAtOnce(key, because: .support) } catch let error as RefundError {
      throw CommandFailure("--now: \(error). Nothing was changed; without --now it ends with its period.")
    }
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
