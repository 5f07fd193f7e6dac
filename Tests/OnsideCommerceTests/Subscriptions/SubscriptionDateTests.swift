import Foundation
import OnsideCommerce
import Testing

/// Dates of renewals and late payments, with the numbers of the cases that the rules are judged by. All in UTC.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionDateTests {
  typealias World = SubscriptionWorld

  /// A subscription that is paid in time, and the days on which its periods end, at the time of day of its start.
  struct Renewals: Sendable, CustomTestStringConvertible {
    let number: Int
    let plan: String
    var trial: String?
    let start: String
    let ends: String

    var testDescription: String { "case \(number): \(plan) from \(start)" }
    var expected: [String] { ends.split(separator: " ").map { "\($0)\(start.dropFirst(10))" } }

    /// When the machine lets its periods end.
    var actual: [String] {
      var world = World()
      world.now = moment(start)
      let offer = trial.flatMap { Period(iso8601: $0) }.map {
        AcceptedOffer(kind: .introductory, mode: .freeTrial, period: $0, price: .zero(.eur))
      }
      world.handle(.purchased(World.plan("plan", period: Period(iso8601: plan) ?? .oneDay), offer: offer))
      while world.periods.count < expected.count { world.wake(paying: true) }
      return world.periods.map { RFC3339.text($0.end) }
    }
  }

  static let renewals = [
    Renewals(
      number: 1, plan: "P1M", start: "2026-01-31T00:00:00Z",
      ends: """
        2026-02-28 2026-03-31 2026-04-30 2026-05-31 2026-06-30 2026-07-31 2026-08-31 2026-09-30 2026-10-31 2026-11-30 \
        2026-12-31 2027-01-31 2027-02-28
        """),
    Renewals(number: 2, plan: "P1M", start: "2027-12-31T00:00:00Z", ends: "2028-01-31 2028-02-29 2028-03-31"),
    Renewals(
      number: 3, plan: "P1Y", start: "2024-02-29T23:00:00Z",
      ends: "2025-02-28 2026-02-28 2027-02-28 2028-02-29 2029-02-28"),
    // A period of days moves the anchor: the months are counted from the trial's end.
    Renewals(
      number: 6, plan: "P1M", trial: "P14D", start: "2026-01-17T00:00:00Z", ends: "2026-01-31 2026-02-28 2026-03-31"),
    Renewals(number: 8, plan: "P1W", start: "2026-03-25T09:00:00Z", ends: "2026-04-01 2026-04-08"),
    Renewals(
      number: 11, plan: "P1W", start: "2015-05-08T00:00:00Z",
      ends: """
        2015-05-15 2015-05-22 2015-05-29 2015-06-05 2015-06-12 2015-06-19 2015-06-26 2015-07-03 2015-07-10 2015-07-17
        """),
    Renewals(
      number: 12, plan: "P30D", start: "2016-04-08T00:00:00Z",
      ends: "2016-05-08 2016-06-07 2016-07-07 2016-08-06 2016-09-05 2016-10-05 2016-11-04"),
  ]

  @Test("STO-9: periods of months come back to their day, those of days and weeks have one length", arguments: renewals)
  func ends(_ row: Renewals) { #expect(row.actual == row.expected) }

  @Test(
    "STO-9: the time zone of the process moves no period",
    arguments: ["Europe/Berlin", "America/Juneau", "Pacific/Kiritimati"])
  func timeZones(zone: String) async {
    await #expect(processExitsWith: .success) { [zone] in
      setenv("TZ", zone, 1)
      #expect(TimeZone.current.identifier == zone)
      for row in SubscriptionDateTests.renewals { #expect(row.actual == row.expected, "\(row.testDescription)") }
    }
  }

  @Test("STO-9, case 8: in Berlin a week is shown an hour later once the clocks have changed")
  func berlin() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let row = try #require(Self.renewals.first { $0.number == 8 })
    let shown = ([row.start] + row.actual).map { calendar.dateComponents([.month, .day, .hour], from: moment($0)) }
    #expect(shown.map { [$0.month, $0.day, $0.hour] } == [[3, 25, 10], [4, 1, 11], [4, 8, 11]])
  }

  @Test(
    "STO-9, case 20: a store whose clock goes back an hour after a renewal does nothing twice", arguments: [0.0, 3600])
  func clockBack(leadTime: TimeInterval) throws {
    var world = World(SubscriptionTerms(leadTime: leadTime))
    world.handle(.purchased(World.basic))
    world.wake(paying: true)
    let renewed = world.machine
    world.now -= 3600
    let back = [world.handle(.clock), world.handle(.chargeSucceeded(try #require(world.charges.first)))]
    world.now += 3600
    #expect(back == [[], []] && world.handle(.clock).isEmpty && world.machine == renewed)
    world.wake(paying: true)
    #expect(world.periods.map { RFC3339.text($0.end).prefix(10) } == ["2026-02-28", "2026-03-31", "2026-04-30"])
    #expect(world.charges.count == 2)
  }

  /// A month from 1 January 2026 whose renewal is refused on 1 February and paid later.
  struct LatePayment: Sendable, CustomTestStringConvertible {
    let number: Int
    let graceDays: Int
    let paid: String
    /// When access ends before the money is there; nil when it goes on.
    let lost: String?
    /// The period that is paid, and the end of the one behind it.
    let dates: [String]

    var testDescription: String { "case \(number): \(graceDays) days of grace, paid on \(paid)" }
  }

  static let latePayments = [
    LatePayment(number: 21, graceDays: 14, paid: "02-10", lost: nil, dates: ["02-01", "03-01", "04-01"]),
    LatePayment(number: 22, graceDays: 14, paid: "02-20", lost: "02-15", dates: ["02-20", "03-20", "04-20"]),
    LatePayment(number: 23, graceDays: 0, paid: "02-10", lost: "02-01", dates: ["02-10", "03-10", "04-10"]),
    LatePayment(number: 24, graceDays: 16, paid: "02-16", lost: nil, dates: ["02-01", "03-01", "04-01"]),
    LatePayment(number: 25, graceDays: 0, paid: "02-16", lost: "02-01", dates: ["02-16", "03-16", "04-16"]),
    LatePayment(number: 26, graceDays: 16, paid: "02-19", lost: "02-17", dates: ["02-19", "03-19", "04-19"]),
  ]

  @Test("SUB-2: money within the grace period keeps the date, money after it begins a new one", arguments: latePayments)
  func late(_ row: LatePayment) throws {
    var plan = World.basic
    plan.graceDays = row.graceDays
    var world = World()
    world.now = moment("2026-01-01T00:00:00Z")
    world.handle(.purchased(plan))
    let paid = moment("2026-\(row.paid)T00:00:00Z")
    let lost = row.lost.map { moment("2026-\($0)T00:00:00Z") }
    world.pass(to: (lost ?? paid) - 1, paying: false)
    #expect(world.machine.isEntitled(at: world.now))
    for moment in [lost, paid - 1] {
      world.pass(to: moment ?? paid - 1, paying: false)
      #expect(world.machine.isEntitled(at: world.now) == (lost == nil))
    }
    world.now = paid
    world.handle(.retryRequested, paying: true)
    world.wake(paying: true)
    let periods = world.periods.suffix(2)
    #expect(([periods.first?.start ?? .distantPast] + periods.map(\.end)).map(day) == row.dates)
  }

  private func day(_ date: Date) -> String { String(RFC3339.text(date).dropFirst(5).prefix(5)) }
}

private func moment(_ text: String) -> Date { RFC3339.date(text) ?? .distantPast }
