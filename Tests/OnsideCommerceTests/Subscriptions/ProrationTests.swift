import Foundation
import Testing

@testable import OnsideCommerce

/// What goes back of a price, with the numbers of the cases that the rules are judged by: amounts in the smallest unit,
/// by the second, and rounded down.
@Suite(.timeLimit(.minutes(5))) struct ProrationTests {
  struct Share: Sendable, CustomTestStringConvertible {
    let number: Int
    let price: Int64
    let part: Int64
    let whole: Int64
    let share: Int64

    init(_ number: Int, _ price: Int64, _ part: Int64, _ whole: Int64, _ share: Int64) {
      (self.number, self.price, self.part, self.whole, self.share) = (number, price, part, whole, share)
    }

    var testDescription: String { "case \(number): \(price) · \(part)/\(whole)" }
  }

  static let shares = [
    Share(55, 24_995, 20, 31, 16_125), Share(55, 239_995, 354, 365, 232_762),
    Share(56, 2995, 20, 31, 1932), Share(56, 6995, 81, 92, 6158),
    Share(57, 239_995, 355, 365, 233_419), Share(57, 599_995, 355, 365, 583_556),
    Share(58, 500, 29, 30, 483), Share(58, 2000, 29, 30, 1933),
    Share(59, 200, 16, 30, 106),
    Share(72, 24_995, 29, 31, 23_382), Share(72, 24_995, 27, 30, 22_495),
  ]

  @Test("SUB-5: the share of a price is rounded down to the smallest unit, and no more than that", arguments: shares)
  func share(_ row: Share) {
    let seconds: Int64 = 86_400
    let share = Money(minorUnits: row.price, currency: .eur).share(row.part * seconds, of: row.whole * seconds)
    #expect(share == Money(minorUnits: row.share, currency: .eur))
  }

  struct Unused: Sendable, CustomTestStringConvertible {
    let number: Int
    let price: Int64
    let start: String
    let end: String
    let change: String
    let unused: Int64

    init(_ number: Int, _ price: Int64, _ start: String, _ end: String, at change: String, _ unused: Int64) {
      (self.number, self.price, self.start, self.end) = (number, price, start, end)
      (self.change, self.unused) = (change, unused)
    }

    var testDescription: String { "case \(number): \(price) for \(start) to \(end), on \(change)" }
  }

  static let unused = [
    Unused(38, 999, "2026-01-10", "2026-02-10", at: "2026-01-20", 676),
    Unused(40, 1999, "2026-01-20", "2026-02-20", at: "2026-01-25", 1676),
    Unused(55, 24_995, "2012-05-01", "2012-06-01", at: "2012-05-12", 16_125),
    Unused(56, 6995, "2012-05-01", "2012-08-01", at: "2012-05-12", 6158),
    Unused(58, 500, "2026-04-01", "2026-05-01", at: "2026-04-02", 483),
    Unused(58, 2000, "2026-04-01", "2026-05-01", at: "2026-04-02", 1933),
    Unused(59, 200, "2026-04-01", "2026-05-01", at: "2026-04-15", 106),
    Unused(72, 24_995, "2012-03-02", "2012-04-02", at: "2012-03-04", 23_382),
    Unused(72, 24_995, "2012-04-02", "2012-05-02", at: "2012-04-05", 22_495),
  ]

  @Test("SUB-5: what is not used of a period is counted by its own length", arguments: unused)
  func unusedPart(_ row: Unused) throws {
    let plan = SubscriptionWorld.plan("plan", price: row.price)
    let (start, end) = (try Self.day(row.start), try Self.day(row.end))
    let period = PaidPeriod(number: 1, plan: plan, price: plan.price, start: start, end: end)
    let minorUnits = period.unusedValue(at: try Self.day(row.change)).minorUnits
    #expect(minorUnits == row.unused)
    #expect(period.unusedValue(at: start - 1) == plan.price && period.unusedValue(at: end).isZero)
  }

  @Test("SUB-5, case 40: two higher plans within a month cost their prices without what was not used: 36.45 in all")
  func twice() throws {
    var world = SubscriptionWorld()
    let steps = [("basic", 3, 999, "2026-01-10"), ("pro", 2, 1999, "2026-01-20"), ("max", 1, 2999, "2026-01-25")]
    for (id, level, price, day) in steps {
      world.now = try Self.day(day)
      world.handle(.purchased(SubscriptionWorld.plan(id, level: level, price: Int64(price))))
    }
    let back = world.effects.compactMap { effect -> Int64? in
      guard case .refundUnused(let money, _) = effect else { return nil }
      return money.minorUnits
    }
    #expect(back == [676, 1676])
    #expect(world.periods.reduce(0) { $0 + $1.price.minorUnits } - back.reduce(0, +) == 3645)
    let expected = try Self.day("2026-02-25")
    #expect(world.machine.entitledUntil == expected)
  }

  private static func day(_ text: String) throws -> Date { try #require(RFC3339.date("\(text)T00:00:00Z")) }
}
