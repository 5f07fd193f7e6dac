import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct PeriodTests {
  private func day(_ text: String) throws -> Date { try #require(RFC3339.date("\(text)T12:30:00Z")) }

  @Test(
    "periods are read and written as ISO 8601",
    arguments: [
      ("P7D", Period.Unit.day, 7), ("P1W", .week, 1), ("P3M", .month, 3), ("P1Y", .year, 1), ("P180D", .day, 180),
    ])
  func iso8601(text: String, unit: Period.Unit, count: Int) throws {
    let period = try #require(Period(iso8601: text))
    #expect(period.unit == unit)
    #expect(period.count == count)
    #expect(period.iso8601 == text)
    let data = try JSONEncoder().encode(period)
    #expect(String(decoding: data, as: UTF8.self) == "\"\(text)\"")
    let decoded = try JSONDecoder().decode(Period.self, from: data)
    #expect(decoded == period)
  }

  @Test(
    "other durations are refused",
    arguments: [
      "", "P", "PM", "P0M", "P-1M", "P1", "1M", "p1m", "P1m", "P1H", "PT1M", "P1Y6M", "P1.5M", "P10000D", "P+1M",
      "P٣M", "P99999999999999999999M",
    ])
  func refused(text: String) {
    #expect(Period(iso8601: text) == nil)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Period.self, from: JSONEncoder().encode(text)) }
  }

  @Test(
    "STO-9: the day of the month is anchored to the first date",
    arguments: [
      (0, "2026-01-31"), (1, "2026-02-28"), (2, "2026-03-31"), (3, "2026-04-30"), (12, "2027-01-31"),
      (25, "2028-02-29"), (-1, "2025-12-31"),
    ])
  func anchored(times: Int, expected: String) throws {
    let end = Period.oneMonth.adding(to: try day("2026-01-31"), times: times)
    let expectedValue = try day(expected)
    #expect(end == expectedValue)
  }

  @Test("STO-9: leap days, weeks and days")
  func calendar() throws {
    let end = Period.oneYear.adding(to: try day("2024-02-29"))
    let expected = try day("2025-02-28")
    #expect(end == expected)
    let secondEnd = Period.oneYear.adding(to: try day("2024-02-29"), times: 4)
    let secondExpected = try day("2028-02-29")
    #expect(secondEnd == secondExpected)
    let thirdEnd = Period.oneWeek.adding(to: try day("2026-03-28"), times: 2)
    let thirdExpected = try day("2026-04-11")
    #expect(thirdEnd == thirdExpected)
    let fourthEnd = Period.oneDay.adding(to: try day("2026-10-24"), times: 2)
    let fourthExpected = try day("2026-10-26")
    #expect(fourthEnd == fourthExpected)
    let fifthEnd = try #require(Period(unit: .month, count: 3)).adding(to: try day("2025-11-30"))
    let fifthExpected = try day("2026-02-28")
    #expect(fifthEnd == fifthExpected)
  }

  @Test("absurd lengths end in the distant future, without a trap")
  func absurd() throws {
    let date = try day("2026-01-31")
    #expect(Period.oneYear.adding(to: date, times: .max) > date)
    let end = try #require(Period(unit: .year, count: 9999)).adding(to: date, times: .max)
    #expect(end == .distantFuture)
    let secondEnd = try #require(Period(unit: .year, count: 9999)).adding(to: date, times: .min)
    #expect(secondEnd == .distantPast)
  }
}
