import ArgumentParser
import Foundation
import OnsideKit

/// The demonstration: a store, a person with a phone and a browser, and two devices, each a process of its own.
@main
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onside-demo",
    abstract: "Sells through the real SDK from the real store, and proves each step.",
    subcommands: [Run.self, StripeRun.self, SubscriptionRun.self, DemoSession.self], defaultSubcommand: Run.self)
}

/// Plays the whole demonstration.
struct Run: AsyncParsableCommand {
  @Option(help: "The .storekit file to sell from.") var catalogue = "Examples/Shop.storekit"
  @Option(help: "The prices of the regions.") var prices = "Examples/Shop.prices.json"
  @Flag(help: "Leave the store running at the end, to go on in a browser.") var serve = false

  func run() async throws {
    let name = "onside-demo-\(ProcessInfo.processInfo.processIdentifier)"
    let folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stage = Stage(folder: folder, programs: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent())
    do {
      try await stage.play(
        catalogue: URL(filePath: catalogue).absoluteURL.path, prices: URL(filePath: prices).absoluteURL.path)
      if serve { try await stage.stayOpen() }
      try await stage.close()
    } catch {
      print("✘ \(error)")
      await stage.giveUp()
      throw ExitCode.failure
    }
  }
}

/// One device: the SDK in a process of its own.
struct DemoSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "session", shouldDisplay: false)

  @Argument var device: String
  @Option var store: String
  @Option var storage: String

  @MainActor
  func run() async throws {
    guard let store = URL(string: store) else { throw ValidationError("--store is not an address: \(store)") }
    let screens = TerminalPresenter(
      sleep: { try await Task.sleep(for: .seconds($0)) },
      print: { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) })
    if device == "subscription" {
      return try await SubscriptionDevice(store: store, storage: URL(filePath: storage), screens: screens).run()
    }
    Onside.initialize(
      configuration: try OnsideConfiguration(
        storeURL: store, appIdentifier: Stage.app, storageFolder: URL(filePath: storage)),
      screens: screens)
    let app = AppObserver(assumedRegion: "DE")
    switch device {
    case "first": try await FirstDevice(app: app, store: store).run()
    case "stripe": try await StripeDevice(app: app).run()
    default: try await SecondDevice(app: app).run()
    }
  }
}
