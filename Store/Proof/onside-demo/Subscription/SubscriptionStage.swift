import Foundation
import HeadlessChromium

/// Puts a store, an app and its user on, and moves the buyer's clock through a year; prints a line for every step that
/// is proved from outside, too: by the operator's commands, the pages and the books.
final class SubscriptionStage {
  /// How far past a moment the clock is moved, in seconds.
  private static let margin: TimeInterval = 60

  private let folder: URL
  private let onside: URL
  private let pictures: URL
  private var proved = 0
  private var ahead: TimeInterval = 0
  private var account = ""
  private var store: StoreProcess?
  private var begun: ContinuousClock.Instant?
  /// The subscription when it was last looked at.
  private var latest: ShownSubscription?

  init(folder: URL, onside: URL, pictures: URL) {
    (self.folder, self.onside, self.pictures) = (folder, onside, pictures)
  }

  /// Plays every step.
  func play(catalogue: String) async throws {
    _ = try run(["import", catalogue, "--app", Stage.app, "--name", "Lumen"])
    let store = try await StoreProcess.start(onside, in: folder)
    self.store = store
    say("store", proof: "sells two plans at \(store.address.absoluteString), in a new SQLite file")
    let chromium = try await Chromium.start()
    do {
      try await chromium.show(width: 390)
      begun = .now
      try await playDevice(with: SubscriberBrowser(chromium: chromium, store: store, pictures: pictures), at: store)
      try await checkBooks()
      await chromium.stop()
    } catch {
      await chromium.stop()
      throw error
    }
  }

  /// Stops the store and sums up.
  func close() async throws {
    let seconds = begun.map { Double(($0.duration(to: .now)) / .seconds(1)) } ?? 0
    let status = await store?.stop()
    try expect(status == 0, "the store stopped with exit status \(status ?? -1)")
    let time = seconds.formatted(.number.precision(.fractionLength(1)))
    print("\nAll \(proved) steps proved: \(Int(ahead / 86_400)) days in \(time) s. Pictures: \(pictures.path)")
  }

  /// Ends what still runs and tells where to look.
  func giveUp() async {
    _ = await store?.stop()
    if let text = try? run(["subscription", "list"]) { print(text) }
    for log in ["store.log", "device.log"] {
      let text = (try? String(contentsOf: folder.appending(path: log), encoding: .utf8)) ?? ""
      if !text.isEmpty { print("--- \(log)\n\(text.suffix(2000))") }
    }
  }

  /// Runs the app on a device of its own, and does what it asks for.
  private func playDevice(with browser: SubscriberBrowser, at store: StoreProcess) async throws {
    let process = try DemoProcess(
      onside.deletingLastPathComponent().appending(path: "onside-demo"),
      arguments: [
        "session", "subscription", "--store", store.address.absoluteString, "--storage",
        folder.appending(path: "device").path,
      ],
      in: folder, errors: folder.appending(path: "device.log"))
    for await line in process.lines {
      if let address = line.firstMatch(of: /^http:\/\/\S+$/).flatMap({ URL(string: String($0.0)) }) {
        print("    · the buyer \(try await browser.visit(address))")
      } else if let report = Report.parse(line), report.count > 1 {
        let argument = report.count > 2 ? report[2] : ""
        if report[0] == "ask" {
          try await answer(report[1], argument, with: browser)
        } else {
          try await prove(report[1], proof: argument, with: browser)
        }
        try process.answer("done")
      }
    }
    try expect(process.exitStatus() == 0, "the device ended with status \(process.exitStatus())")
  }

  /// Does what the app's part of the play needs from outside.
  private func answer(_ wish: String, _ argument: String, with browser: SubscriberBrowser) async throws {
    switch wish {
    case "end-period": try passTime(to: latest?.paidUntil)
    case "end-pause":
      let until = latest?.facts["pause"]?.firstMatch(of: /until ([0-9TZ:-]+)/)
      try passTime(to: until.flatMap { ShownSubscription.date($0.1) })
    case "days": try passTime(seconds: (Double(argument) ?? 0) * 86_400)
    case "pause": try await browser.pause()
    case "switch-off": try await browser.switchOff()
    case "refund": _ = try run(["refund", argument])
    default: throw DemoFailure("the device asks for \(wish)")
    }
  }

  /// Looks from outside whether it is as the app says.
  private func prove(_ name: String, proof: String, with browser: SubscriberBrowser) async throws {
    let number = String(format: "%02d", proved)
    // The operator's command runs while the browser paints.
    let reading = try showing()
    let page = try await browser.look("\(number)-\(name.replacing(" ", with: "-"))")
    let shown = try await ShownSubscription(reading.value)
    let proofs = SubscriptionProofs(
      page: page, before: latest, shown: shown, browser: browser,
      showAgain: { try await ShownSubscription(self.showing().value) }, run: { try self.run($0) })
    latest = shown
    say(name, proof: "\(proof); \(try await proofs.prove(name))")
  }

  private func checkBooks() async throws {
    let balance = try await ShownSubscription(showing().value).balance
    let rows = try run(["ledger", "balances"]).matches(of: /(?m)^(\S+) +EUR +(-?[0-9.]+)$/)
    let amounts = rows.compactMap { ShownSubscription.Step.cents(String($0.2)) }
    let provider = rows.first { $0.1.hasPrefix("assets:providers:") }.flatMap {
      ShownSubscription.Step.cents(String($0.2))
    }
    try expect(amounts.count == rows.count && amounts.reduce(0, +) == 0, "the books do not add up: \(amounts)")
    try expect(provider == balance, "the provider holds \(provider ?? 0), the orders say \(balance)")
    let doctor = try run(["doctor"])
    say(
      "books",
      proof: "the accounts add up to zero, the provider holds the \(balance) cents that were paid and not given "
        + "back, and `onside doctor` finds \(doctor.contains("✘") ? "faults" : "no fault")")
  }

  /// Begins to ask the operator's command for the subscription.
  private func showing() throws -> Task<String, any Error> {
    if account.isEmpty {
      let list = try run(["subscription", "list"])
      guard let match = list.firstMatch(of: /(?m)^([0-9a-f-]{36})/) else {
        throw DemoFailure("no subscription: \(list)")
      }
      account = String(match.1)
    }
    let arguments = [
      "subscription", "show", "--account", account, "--app", Stage.app, "--group", SubscriptionDevice.group,
    ]
    return Task.detached { [onside, folder] in try DemoProcess.run(onside, arguments: arguments, in: folder) }
  }

  private func passTime(to moment: Date?) throws {
    guard let moment else { throw DemoFailure("there is no moment to wait for") }
    try passTime(seconds: max(0, moment.timeIntervalSince(Date() + ahead)) + Self.margin)
  }

  /// Moves the account's clock, as a developer does for one tester of a sandbox: what is due on the way has happened
  /// when the command ends.
  private func passTime(seconds: TimeInterval) throws {
    let whole = Int(seconds.rounded(.up))
    _ = try run(["clock", "advance", "\(whole)s", "--account", account])
    ahead += TimeInterval(whole)
  }

  private func run(_ arguments: [String]) throws -> String {
    try DemoProcess.run(onside, arguments: arguments, in: folder)
  }

  private func say(_ title: String, proof: String) {
    proved += 1
    print("✔ \(title): \(proof)")
  }
}
