import ArgumentParser
import Foundation

/// Plays the demonstration with a payment provider: localstripe, a fake of Stripe that others have written, and a
/// browser.
struct StripeRun: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stripe", abstract: "Sells through Stripe's API, and proves each step and the books.")

  @Option(help: "A Python that has localstripe.") var python: String
  @Option(help: "The script that runs localstripe.") var localstripe = "script/testing/run-localstripe.py"
  @Option(help: "The .storekit file to sell from.") var catalogue = "Examples/Shop.storekit"
  @Option(help: "The prices of the regions.") var prices = "Examples/Shop.prices.json"
  @Option(help: ArgumentHelp("Writes pictures of the pages into this folder.", valueName: "folder"))
  var pictures: String?

  func run() async throws {
    let name = "onside-demo-\(ProcessInfo.processInfo.processIdentifier)"
    let folder = FileManager.default.temporaryDirectory.appending(path: name)
    for folder in [folder] + (pictures.map { [URL(filePath: $0)] } ?? []) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let stage = StripeStage(folder: folder, onside: programs.appending(path: "onside"), pictures: pictures)
    do {
      try await stage.startStripe(
        python: URL(filePath: python).absoluteURL, script: URL(filePath: localstripe).absoluteURL.path)
      try await stage.play(
        catalogue: URL(filePath: catalogue).absoluteURL.path, prices: URL(filePath: prices).absoluteURL.path)
      try await stage.close()
    } catch {
      print("✘ \(error)")
      await stage.giveUp()
      throw ExitCode.failure
    }
  }
}
