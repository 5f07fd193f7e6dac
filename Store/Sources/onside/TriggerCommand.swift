import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreBase
import StoreMerchants
import StoreSales

/// Causes an event in a sandbox: `onside trigger`.
struct TriggerCommand: AsyncParsableCommand {
  /// The longest wait for the event.
  private static let timeout: Duration = .seconds(30)
  /// The interval between two checks for the event.
  private static let look: Duration = .milliseconds(100)
  /// The most due moments of a subscription that are applied for one event.
  private static let momentLimit = 20

  private static let types = EventTrigger.types.map(\.rawValue).joined(separator: ", ")

  static let configuration = CommandConfiguration(
    commandName: "trigger", abstract: "Causes an event of an account, by a purchase, refund or renewal. Sandbox only.",
    discussion: """
      Types: \(types).

      The store performs what causes the event: it sells the product to the account with a test card, refunds it, lets \
      the bank open a dispute (after ten seconds), or applies the next due moments of the subscription. Other events of \
      these acts are written, too. Exit status 1 without an event of the type within 30 seconds.
      """)

  @OptionGroup var options: ChangeOptions
  @Argument(help: "The type of the event, such as subscription.renewed.") var type: String
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String
  @Option(help: ArgumentHelp("The app; without it, the only one.", valueName: "id")) var app: String?
  @Option(help: ArgumentHelp("The product; without it, the first suitable one.", valueName: "id")) var product: String?
  @Flag(help: "Print the event as JSON.") var json = false

  func validate() throws {
    guard EventTrigger.types.map(\.rawValue).contains(type) else {
      throw ValidationError("expected a type of \(Self.types); got \"\(type)\"")
    }
  }

  func run() async throws {
    let arguments: [String: String?] = ["type": type, "app": app, "product": product]
    try await options.withStore(CommandAct("trigger", of: account.lowercased(), arguments)) { core in
      let customer = Customer(account: account.lowercased(), app: try chosenApp(in: core))
      do {
        let event = try await Self.cause(MerchantEventType(rawValue: type), for: customer, product: product, in: core)
        print(json ? String(decoding: event.json, as: UTF8.self) : "\(event.id.text)  \(event.type)  \(event.object)")
      } catch let error as EventTriggerError { throw CommandFailure("\(error)") }
    }
  }

  private func chosenApp(in core: StoreCore) throws -> String {
    if let app { return try core.registered(app).id }
    let apps = core.apps.all.map(\.id)
    guard apps.count == 1 else {
      throw CommandFailure("--app: expected an app, of: \(apps.joined(separator: ", "))")
    }
    return apps[0]
  }

  /// Performs the acts, and returns the event once it has a number.
  private static func cause(
    _ type: MerchantEventType, for customer: Customer, product: String?, in core: StoreCore
  ) async throws -> FeedEvent {
    let (database, trigger) = (core.dependencies.database, core.eventTrigger)
    let position = try await database.read { try EventListingRecords.newestPosition(in: $0) }
    let subscription = try await trigger.begin(type, for: customer, product: product)
    let end = ContinuousClock.now + timeout
    var moments = 0
    while true {
      try await core.deliverOutbox()
      try await core.sequencer.assign()
      let event = try await database.read {
        try EventListingRecords.first(type, of: customer, after: position, in: $0)
      }
      if let event { return event }
      guard ContinuousClock.now < end else {
        throw CommandFailure("expected the event \(type.rawValue) within 30 seconds, got none")
      }
      if let subscription, moments < momentLimit {
        try await trigger.advance(subscription)
        moments += 1
      }
      try await Task.sleep(for: look)
    }
  }
}
