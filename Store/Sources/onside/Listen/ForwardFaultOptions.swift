import ArgumentParser
import StoreMerchants

/// The faults of `onside listen`.
struct ForwardFaultOptions: ParsableArguments {
  private static let windows = 1...1000

  @Flag(help: "Send each event two times.") var twice = false
  @Option(help: ArgumentHelp("Shuffle the events of an answer of the feed, so many at a time.", valueName: "number"))
  var shuffle: Int?
  @Option(help: ArgumentHelp("Leave out this share of the events, such as 10%.", valueName: "share"))
  var drop: String?
  @Option(help: ArgumentHelp("The seed of --shuffle and --drop. Default: another one each time.", valueName: "number"))
  var seed: UInt64?

  func validate() throws {
    if let shuffle, !Self.windows.contains(shuffle) {
      throw ValidationError("--shuffle: expected a number from 1 to \(Self.windows.upperBound), got \(shuffle)")
    }
    if let drop, Self.share(drop) == nil {
      throw ValidationError("--drop: expected a share from 0% to 100%, such as 10%, got \"\(drop)\"")
    }
  }

  var faults: ForwardFaults {
    ForwardFaults(isTwice: twice, window: shuffle ?? 1, droppedShare: drop.flatMap(Self.share) ?? 0)
  }

  /// True if the seed changes the deliveries.
  var isActive: Bool { shuffle != nil || drop != nil }

  private static func share(_ text: String) -> Double? {
    guard text.last == "%", let percent = Int(text.dropLast()), 0...100 ~= percent else { return nil }
    return Double(percent) / 100
  }
}
