import ArgumentParser

/// Measures what the project promises about speed and memory; `docs/performance.md` has the results.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onside-bench",
    abstract: "Measures speed and memory against peers; exits 1 when a bar is missed.",
    subcommands: [
      Products.self, Purchases.self, PostgresPurchases.self, Growth.self, Overload.self, Renewals.self, Start.self,
      Upgrade.self, MemoryFigure.self, VaultFigure.self, BarePeer.self, DeviceLaunch.self,
    ])
}

/// A measurement that could not be made: what was expected and what came.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
