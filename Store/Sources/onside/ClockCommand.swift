import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales

/// The clock of a sandbox, which can be moved forward: the store's, or that of one account.
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Shows the store's time, and moves that of a sandbox or of one account in it.",
    subcommands: [Show.self, Advance.self, Reset.self, Accept.self])

  /// Whose clock is meant.
  struct Whose: ParsableArguments {
    @Option(
      name: .customLong("account"),
      help: ArgumentHelp("Only the clock of this account: it goes ahead of the store's.", valueName: "id"))
    var id: String?

    /// The clock of the account; nil for the store's.
    func clock(_ core: StoreCore) throws -> AccountClock? {
      guard let id else { return nil }
      guard let account = AccountID(id.lowercased()) else { throw SandboxClockError.unknownAccount(id) }
      return core.clock(of: account)
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the store's time, or an account's.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var whose: Whose

    func run() async throws {
      try await options.withStore { core in
        guard let account = try whose.clock(core) else { return ClockCommand.show(core) }
        ClockCommand.show(try await account.standing())
      }
    }
  }

  struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets this machine's clock count after a jump.",
      discussion: """
        A store goes on with its own time when the machine's clock jumps by more than a minute, until the kernel \
        reports that the clock is synchronised, or the clock agrees again. This command is for machines without NTP. \
        Serving processes follow within seconds.
        """)

    @OptionGroup var options: ChangeOptions

    func run() async throws {
      try await options.withStore(CommandAct("clock accept")) { core in
        guard let now = try await core.acceptClock() else {
          throw CommandFailure("expected a machine whose start has an identifier (/proc/sys/kernel/random/boot_id)")
        }
        print("\(now.ISO8601Format())  accepted")
      }
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Moves the clock forward, for example by 31d.",
      discussion: """
        With --account, that account lives through the time: its subscriptions renew, are tried again, pause and end \
        at their moments, and what they bring leaves the store on the way. Everybody else stays.
        """)

    @OptionGroup var options: ChangeOptions
    @OptionGroup var whose: Whose
    @Argument(help: "How far: a number and s, m, h, d or w, such as 90s, 12h or 31d.") var distance: String

    func run() async throws {
      guard let seconds = distance.seconds else {
        throw CommandFailure("expected a number and s, m, h, d or w, such as 31d, got \"\(distance)\"")
      }
      try await options.withStore(CommandAct("clock advance", of: whose.id?.lowercased(), ["distance": distance])) {
        core in
        if let account = try whose.clock(core) {
          return ClockCommand.show(try await account.advance(by: seconds))
        }
        try await SandboxClockSetting(core.dependencies.base).advance(by: seconds)
        ClockCommand.show(core)
      }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the clock back; refused once there are orders.",
      discussion: """
        The orders of a clock that is ahead would lie in the future. A store with orders keeps its clock: start with a \
        new database file instead. With --account, an account without orders is set back to the store's time.
        """)

    @OptionGroup var options: ChangeOptions
    @OptionGroup var whose: Whose

    func run() async throws {
      try await options.withStore(CommandAct("clock reset", of: whose.id?.lowercased())) { core in
        if let account = try whose.clock(core) {
          try await account.reset()
          return ClockCommand.show(try await account.standing())
        }
        try await SandboxClockSetting(core.dependencies.base).reset()
        ClockCommand.show(core)
      }
    }
  }

  private static func show(_ core: StoreCore) {
    let clock = core.dependencies.clock
    if let jump = clock.steady?.jump {
      let difference = ClockDifference(seconds: jump)
      print("this machine's clock has jumped (\(difference)), and does not count: see onside clock accept --help")
    }
    show(clock.now(), ahead: clock.offsetMilliseconds, of: "the machine's time")
  }

  private static func show(_ account: AccountClock.Standing) {
    show(account.now, ahead: account.millisecondsAhead, of: "the store's time")
  }

  private static func show(_ now: Date, ahead milliseconds: Int64, of other: String) {
    let ahead = Duration.milliseconds(milliseconds).inWords
    print("\(now.ISO8601Format())  " + (milliseconds == 0 ? other : "ahead by \(ahead)"))
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
