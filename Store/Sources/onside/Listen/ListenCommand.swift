import ArgumentParser
import Foundation
import OnsideAPI
import StoreBase
import StoreMerchants

/// Forwards the events of a store to a receiver on the developer's machine: `onside listen`.
struct ListenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", abstract: "Forwards an app's events to a receiver, signed as webhooks are.",
    discussion: """
      ONSIDE_API_KEY=onsk_... onside listen --forward-to http://127.0.0.1:8000/
      onside listen --forward-to http://127.0.0.1:8000/ --since 2h --twice --shuffle 5

      The events are those of the feed: the command changes nothing in the store, and needs no endpoint there. Each is \
      sent once, whatever the answer. Without --since and --after it begins with the next event.
      The secret of the signatures is in a file (mode 0600), the same from run to run.
      --twice, --shuffle and --drop are faults that a receiver has to survive. With --drop, it compares `sequence`, and \
      reads the state by id. --seed repeats a run's choices.
      With --expect the exit status is 0 as soon as an event of the type was answered with 2xx, and 1 after --timeout.
      """)

  @Option(help: ArgumentHelp("The receiver's address.", valueName: "url")) var forwardTo: String
  @Option(
    help: ArgumentHelp("An API key with the scope read. Default: the variable ONSIDE_API_KEY.", valueName: "key"))
  var key: String?
  @Option(help: ArgumentHelp("The address of the store.", valueName: "url")) var store = "http://127.0.0.1:8080"
  @Option(help: ArgumentHelp("Only these types, with commas.", valueName: "types")) var types: String?
  @Option(help: ArgumentHelp("Begin at the first event of this time, such as 2h, or of this day.", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Begin after the event of this id.", valueName: "id")) var after: String?
  @OptionGroup(title: "Faults") var faults: ForwardFaultOptions
  @Option(help: ArgumentHelp("End when an event of this type was answered with 2xx.", valueName: "type"))
  var expect: String?
  @Option(help: ArgumentHelp("With --expect, the longest wait.", valueName: "time")) var timeout = "30s"
  @Option(help: ArgumentHelp("The file of the secret.", valueName: "file")) var secretFile = "onside-listen.secret"
  @Flag(help: "Print JSON, an object a line.") var json = false

  func validate() throws {
    _ = try EventTypeArgument.types("--types", types)
    _ = try Self.address("--forward-to", forwardTo)
    _ = try Self.address("--store", store)
    guard since == nil || after == nil else { throw ValidationError("expected --since or --after, got both") }
    guard timeout.seconds != nil else {
      throw ValidationError("--timeout: expected a number and s, m, h, d or w, such as 30s, got \"\(timeout)\"")
    }
    guard let expect else { return }
    let type = try EventTypeArgument.type("--expect", expect)
    let forwarded = try EventTypeArgument.types("--types", types)
    guard forwarded.isEmpty || forwarded.contains(type) else {
      throw ValidationError("--expect: expected a type of --types, got \(expect)")
    }
  }

  func run() async throws {
    let output = ListenOutput(isJSON: json)
    let key = try apiKey()
    let secret = try ListenSecret(path: secretFile).read()
    let seed = faults.seed ?? UInt64.random(in: 1...999_999)
    let listener = try listener(key, secret, ForwardPlan(faults.faults, seed: seed))
    output.begin(store: store, receiver: forwardTo, secret: secret, seed: faults.isActive ? seed : nil)
    do {
      try await forward(listener, output)
    } catch let error as FeedClientError {
      throw CommandFailure("expected the feed of the store at \(store), got \(error)")
    }
  }

  private func apiKey() throws -> String {
    if let key = key ?? ProcessInfo.processInfo.environment["ONSIDE_API_KEY"] { return key }
    throw CommandFailure(
      "expected --key or the variable ONSIDE_API_KEY; `onside api-key add --app APP --scopes read` makes a key")
  }

  private func listener(_ key: String, _ secret: WebhookSecret, _ plan: ForwardPlan) throws -> FeedListener {
    let clock = SystemClock()
    let start: FeedListener.Start =
      if let after {
        .after(after)
      } else if let since {
        .since(try PastTime.date("--since", since, now: clock.now()))
      } else {
        .end
      }
    return FeedListener(
      feed: FeedClient(store: try Self.address("--store", store), key: key),
      types: try EventTypeArgument.types("--types", types), start: start,
      receiver: WebhookReceiver(url: forwardTo, secret: secret, sender: WebhookSender(isSandbox: true), clock: clock),
      plan: plan)
  }

  private func forward(_ listener: FeedListener, _ output: ListenOutput) async throws {
    guard let expect else { return try await listener.run(until: nil) { output.show($0) } }
    let limit = Duration.seconds(timeout.seconds ?? 0)
    let isMet = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await listener.run(until: MerchantEventType(rawValue: expect)) { output.show($0) }
        return true
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
    guard isMet else {
      throw CommandFailure("expected \(expect) to be answered with 2xx within \(timeout), and it was not")
    }
  }

  /// The address of an option: http or https, with a host.
  private static func address(_ flag: String, _ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme ?? ""), url.host() != nil else {
      throw ValidationError("\(flag): expected an address such as http://127.0.0.1:8000/, got \"\(text)\"")
    }
    return url
  }
}
