import ArgumentParser
import Foundation
import OnsideStore

/// The clock of a sandbox, which can be moved forward.
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Shows and moves the clock of a sandbox.",
    subcommands: [Show.self, Advance.self, Reset.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the store's time.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { ClockCommand.show($0) }
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Moves the clock forward, for example by 31d.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "How far: a number and s, m, h, d or w, such as 90s, 12h or 31d.") var distance: String

    func run() async throws {
      guard let seconds = distance.seconds else {
        throw CommandFailure("expected a number and s, m, h, d or w, such as 31d, got \"\(distance)\"")
      }
      try await options.withStore { core in
        try await SandboxClockSetting(core.dependencies).advance(by: seconds)
        ClockCommand.show(core)
      }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the clock back to the machine's time; refused once there are orders.",
      discussion: """
        The orders of a clock that is ahead would lie in the future. A store with orders keeps its clock: start with a \
        new database file instead.
        """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.withStore { core in
        try await SandboxClockSetting(core.dependencies).reset()
        ClockCommand.show(core)
      }
    }
  }

  private static func show(_ core: StoreCore) {
    let clock = core.dependencies.clock
    let ahead = Duration.milliseconds(clock.offsetMilliseconds)
    print(
      "\(clock.now().ISO8601Format())  "
        + (clock.offsetMilliseconds == 0 ? "the machine's time" : "ahead by \(ahead.inWords)")
    )
  }
}

extension String {
  /// The seconds of a number and s, m, h, d or w, such as 31d; nil for anything else.
  var seconds: TimeInterval? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = last.flatMap({ units[$0] }), let count = Int(dropLast()), 0...100_000_000 ~= count
    else { return nil }
    return TimeInterval(count * unit)
  }
}

extension Duration {
  /// Days, hours, minutes and seconds, without those that are zero: `31d 2h`.
  fileprivate var inWords: String {
    var rest = components.seconds
    var parts: [String] = []
    for (unit, length) in [("d", Int64(86_400)), ("h", 3600), ("m", 60), ("s", 1)] where rest >= length {
      parts.append("\(rest / length)\(unit)")
      rest %= length
    }
    return parts.isEmpty ? "less than a second" : parts.joined(separator: " ")
  }
}
