import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreBase
import StoreMerchants
import StoreSales

/// The events for merchants' servers: `onside event`.
struct EventCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event", abstract: "Shows the events for merchants' servers.", subcommands: [List.self, Show.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the newest events, the newest first.",
      discussion: "An event gets its number, and its id, from a running store within a second.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Only events of this app.", valueName: "id")) var app: String?
    @Option(help: ArgumentHelp("Only these types, with commas, such as order.paid,order.refunded.", valueName: "types"))
    var types: String?
    @Option(help: ArgumentHelp("Only events of this time, such as 2h, or from this day on (UTC).", valueName: "time"))
    var since: String?
    @Option(help: "How many, at most.") var limit = 50
    @Flag(help: "Print JSON: an array of events, as the feed has them.") var json = false

    func validate() throws { _ = try EventTypeArgument.types("--types", types) }

    func run() async throws {
      try await options.withStore { core in
        let now = core.dependencies.clock.now()
        let filter = EventFilter(
          app: try app.map { try core.registered($0).id }, types: try EventTypeArgument.types("--types", types),
          since: try since.map { try PastTime.date("--since", $0, now: now) }, limit: max(1, limit))
        let (events, waiting) = try await core.dependencies.database.read {
          (try EventListingRecords.newest(filter, in: $0), try EventListingRecords.waitingCount(in: $0))
        }
        json ? printJSON(events) : printTable(events, waiting: waiting)
      }
    }

    private func printTable(_ events: [FeedEvent], waiting: Int) {
      var table = Table(["EVENT", "AT", "TYPE", "CAUSE", "OBJECT", "SEQUENCE"])
      for event in events {
        table.add([
          event.id.text, event.createdAt.ISO8601Format(), event.type, event.cause ?? "-",
          "\(event.kind.rawValue) \(event.object)", "\(event.sequence)",
        ])
      }
      table.show(orElse: "There are no such events.")
      if waiting > 0 { print("Events without a number: \(waiting). A running store numbers them within a second.") }
    }

    private func printJSON(_ events: [FeedEvent]) {
      var json = JSONWriter()
      json.array(events) { $1.write(to: &$0) }
      print(String(decoding: json.bytes, as: UTF8.self))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints an event as JSON, with the bytes of the feed and of a webhook.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The event's id.") var id: String
    @Option(help: ArgumentHelp("The app, if several have an event of this id.", valueName: "id")) var app: String?

    func run() async throws {
      let (id, app) = (id, app)
      guard let event = MerchantEventID(id) else { throw Self.unknown(id) }
      try await options.withStore { core in
        let found = try await core.dependencies.database.read { try EventListingRecords.events(event, in: $0) }
        let events = found.filter { app == nil || $0.app == app }
        guard let first = events.first else { throw Self.unknown(id) }
        guard events.count == 1 else {
          let apps = events.map(\.app).joined(separator: ", ")
          throw CommandFailure("expected --app for this id, which has an event in each of \(apps)")
        }
        print(String(decoding: first.json, as: UTF8.self))
      }
    }

    private static func unknown(_ id: String) -> CommandFailure {
      CommandFailure("expected the id of an event, got \"\(id)\"; `onside event list` shows the newest")
    }
  }
}
