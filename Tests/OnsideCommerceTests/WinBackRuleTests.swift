import Foundation
import OnsideCommerce
import Testing

@Suite("Win-back rules", .timeLimit(.minutes(5)))
struct WinBackRuleTests {
  private func date(_ text: String) throws -> Date { try Date("\(text)T00:00:00Z", strategy: .iso8601) }

  @Test("SUB-10: a rule counts the months after the end, and those that were paid (case 84)")
  func months() throws {
    let rule = WinBackRule(paidMonths: 1, lapsedFrom: 1, lapsedTo: 24)
    let (start, end) = (try date("2026-02-01"), try date("2026-03-01"))
    func allows(_ day: String, paid: [Range<Date>]) throws -> Bool {
      rule.allows(lapsedAt: end, paid: paid, lastOffer: nil, at: try date(day))
    }
    for (day, isAllowed) in [
      ("2026-03-20", false), ("2026-03-31", false), ("2026-04-01", true), ("2028-03-01", true), ("2028-03-02", false),
    ] {
      let result = try allows(day, paid: [start..<end])
      #expect(result == isAllowed, "\(day)")
    }
    #expect(try !allows("2026-04-01", paid: []))
    #expect(try !allows("2026-04-01", paid: [start..<(end - 1)]))
  }

  @Test("SUB-10: paid times that overlap, or are apart, are counted once each")
  func paidTimes() throws {
    let rule = WinBackRule(paidMonths: 2)
    let (start, end) = (try date("2026-01-01"), try date("2026-03-01"))
    let middle = try date("2026-02-01")
    func allows(_ paid: [Range<Date>]) -> Bool { rule.allows(lapsedAt: end, paid: paid, lastOffer: nil, at: end) }
    // A renewal is paid an hour before its period begins.
    #expect(allows([start..<middle, (middle - 3600)..<end]))
    #expect(!allows([start..<middle, start..<middle]))
    let earlier = try date("2025-11-01")..<date("2025-12-01")
    #expect(allows([earlier, start..<middle]) && !allows([earlier]))
  }

  @Test("SUB-10: there is a time between two offers, without a rule a year; else nothing is asked but an end")
  func wait() throws {
    let (end, now) = (try date("2026-03-01"), try date("2026-05-01"))
    let rule = WinBackRule(waitMonths: 2)
    #expect(rule.allows(lapsedAt: end, paid: [], lastOffer: end, at: now))
    #expect(!rule.allows(lapsedAt: end, paid: [], lastOffer: end, at: now - 1))
    #expect(WinBackRule.standard.allows(lapsedAt: end, paid: [], lastOffer: nil, at: end))
    #expect(!WinBackRule.standard.allows(lapsedAt: end, paid: [], lastOffer: end, at: now))
    #expect(WinBackRule.standard.allows(lapsedAt: end, paid: [], lastOffer: end, at: try date("2027-03-01")))
    #expect(!WinBackRule.standard.allows(lapsedAt: end, paid: [], lastOffer: nil, at: end - 1))
  }

  @Test("SUB-10: a catalogue's rule has only what it names")
  func json() throws {
    let rule = try JSONDecoder().decode(WinBackRule.self, from: Data(#"{"lapsedFrom":1,"lapsedTo":24}"#.utf8))
    #expect(rule == WinBackRule(lapsedFrom: 1, lapsedTo: 24))
    let decoded = try JSONDecoder().decode(WinBackRule.self, from: JSONEncoder().encode(rule))
    #expect(decoded == rule)
  }
}
