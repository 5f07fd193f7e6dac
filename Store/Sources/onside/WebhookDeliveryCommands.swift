import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreMerchants

extension WebhookCommand {
  struct Attempts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the attempts of the last 90 days, the newest first.",
      discussion: "ANSWER is the beginning of the answer to a failed attempt: at most 2 KiB are stored.")

    /// The characters of an answer in the table.
    private static let shownAnswer = 200

    @OptionGroup var options: StoreOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String
    @Flag(help: "Only failed attempts.") var failed = false
    @Option(help: "How many, at most.") var limit = 50

    func run() async throws {
      try await options.withStore { core in
        guard let attempts = try await core.webhooks.attempts(id, onlyFailed: failed, limit: max(1, limit)) else {
          throw CommandFailure.unknownEndpoint(id)
        }
        var table = Table(["AT", "EVENT", "OUTCOME", "STATUS", "TOOK", "ANSWER"])
        for attempt in attempts {
          table.add([
            attempt.endedAt.ISO8601Format(), attempt.event, attempt.outcome.rawValue,
            attempt.status.map { "\($0)" } ?? "-", "\(attempt.milliseconds) ms",
            attempt.answer.isEmpty ? "-" : String(attempt.answer.prefix(Self.shownAnswer)),
          ])
        }
        table.show(orElse: "There are no such attempts.")
      }
    }
  }

  struct Resend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sends events again: one, all failed ones, or those since a time.",
      discussion: "Repeated events have the same ids, so that a receiver recognizes them.")

    @OptionGroup var options: ChangeOptions
    @Argument(help: "The endpoint, as onside webhook list shows it.") var id: String
    @Option(help: ArgumentHelp("One event.", valueName: "id")) var event: String?
    @Flag(help: "All deliveries that have failed.") var failed = false
    @Option(help: ArgumentHelp("The events of this time, such as 2h, or from this day on (UTC).", valueName: "time"))
    var since: String?

    func validate() throws {
      guard [event != nil, failed, since != nil].filter({ $0 }).count == 1 else {
        throw ValidationError("expected one of --event, --failed and --since")
      }
    }

    func run() async throws {
      let act = CommandAct(
        "webhook resend", of: id, ["event": event, "failed": failed ? "true" : nil, "since": since])
      try await options.withStore(act) { core in
        guard let count = try await resend(core) else { throw CommandFailure.unknownEndpoint(id) }
        if event != nil, count == 0 {
          throw CommandFailure("no event with this id that was sent to the endpoint's app; see the event's id")
        }
        print("Events that are sent again: \(count)")
      }
    }

    private func resend(_ core: StoreCore) async throws -> Int? {
      if let event {
        guard let event = MerchantEventID(event) else {
          throw CommandFailure("--event: expected an id such as evt_Q1w2E3r4_17, got \"\(event)\"")
        }
        return try await core.webhooks.resend(event, to: id)
      }
      guard let since else { return try await core.webhooks.resendFailed(to: id) }
      let time = try PastTime.date("--since", since, now: core.dependencies.clock.now())
      return try await core.webhooks.resend(since: time, to: id)
    }
  }
}
