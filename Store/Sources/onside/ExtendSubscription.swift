import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreSales

/// Moves the end of a paid period: `onside subscription extend`.
struct ExtendSubscription: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend", abstract: "Moves the end of a paid period to a later day, without a payment.",
    discussion: """
      The renewal is charged an hour before the new end, and the periods after it are counted from it: the billing day \
      moves. A planned pause and a new price move along. While the next period is unpaid, is being paid or is paid \
      already, nothing is extended.
      """)

  @OptionGroup var options: ChangeOptions
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("The subscription group.", valueName: "id")) var group: String
  @OptionGroup var end: EndOptions

  func validate() throws {
    guard end.days != nil || end.until != nil else { throw ValidationError("expected --days or --until") }
  }

  func run() async throws {
    let key = SubscriptionKey(account: account.lowercased(), app: app, group: group)
    guard let length = try end.value else { return }
    let names: [String: String?] = ["app": app, "group": group]
    let arguments = names.merging(end.arguments) { $1 }
    try await options.withStore(CommandAct("subscription extend", of: key.account, arguments)) { core in
      do {
        guard let end = try await core.subscriptions.extend(key, by: length) else {
          throw CommandFailure.noSubscription(key)
        }
        print("The period that is paid ends on \(end.ISO8601Format()) now.")
      } catch let error as ExtensionError { throw CommandFailure("\(error). Nothing was changed.") }
      try await core.showSubscription(key)
    }
  }
}
