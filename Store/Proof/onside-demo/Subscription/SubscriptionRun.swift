import ArgumentParser
import Foundation

/// Plays a year of a subscription: store, app and person, each a process, and the buyer's clock, which a developer
/// moves.
struct SubscriptionRun: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscription", abstract: "Lets a subscription live for a year, and proves each step.")

  @Option(help: "The plans to sell, a catalogue in JSON.") var catalogue = "Examples/Plans.json"
  @Option(help: ArgumentHelp("Where pictures of the account's pages are written.", valueName: "folder"))
  var pictures = ".build/demo-subscription"

  func run() async throws {
    let name = "onside-demo-\(ProcessInfo.processInfo.processIdentifier)"
    let folder = FileManager.default.temporaryDirectory.appending(path: name)
    let pictures = URL(filePath: pictures).absoluteURL
    for folder in [folder, pictures] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let stage = SubscriptionStage(
      folder: folder, onside: programs.appending(path: "onside"), pictures: pictures)
    do {
      try await stage.play(catalogue: URL(filePath: catalogue).absoluteURL.path)
      try await stage.close()
    } catch {
      print("✘ \(error)")
      await stage.giveUp()
      throw ExitCode.failure
    }
  }
}
