import ArgumentParser
import Foundation

/// The folders of the programs and of a measurement's files; the same options for every command.
struct Places: ParsableArguments {
  @Option(help: ArgumentHelp("The folder with the built programs.", valueName: "folder"))
  var programs: String

  @Option(help: ArgumentHelp("The folder with the example shop.", valueName: "folder"))
  var examples: String

  @Option(help: ArgumentHelp("A folder on the disk to measure; made when missing.", valueName: "folder"))
  var work: String

  /// Runs a measurement in a new folder, which is removed afterwards unless it failed.
  func withFolder<Result>(_ name: String, _ body: (Workplace) async throws -> Result) async throws -> Result {
    let folder = URL(filePath: work).appending(path: "\(name)-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = Workplace(folder: folder, programs: URL(filePath: programs), examples: URL(filePath: examples))
    do {
      let result = try await body(place)
      try FileManager.default.removeItem(at: folder)
      return result
    } catch {
      Output.note("The logs of this measurement are in \(folder.path).")
      throw error
    }
  }
}

/// One measurement's folder and programs.
struct Workplace: Sendable {
  let folder: URL
  let programs: URL
  let examples: URL
  /// The store's database: a file in the folder, or the URL of a PostgreSQL database.
  var database = ExampleShop.database
  var isOnPostgres: Bool { database.contains("://") }

  var onside: URL { programs.appending(path: "onside") }
  var bench: URL { programs.appending(path: "onside-bench") }
  var purchasesPeer: URL { programs.appending(path: "purchases-peer") }
  var vaultPeer: URL { programs.appending(path: "vault-peer") }
  func file(_ name: String) -> URL { folder.appending(path: name) }

  /// A new folder inside, with the same programs.
  func inner(_ name: String) throws -> Workplace {
    try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
    return Workplace(folder: file(name), programs: programs, examples: examples)
  }
}
