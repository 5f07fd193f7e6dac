import Foundation
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreSales

@Suite("Tax rates", .timeLimit(.minutes(2)))
struct TaxRateTests {
  @Test(
    "STO-3: the tax in a price is rounded to the nearest smallest unit, half a unit up",
    arguments: [
      (499, 2100, 87), (499, 2550, 101), (1, 2100, 0), (3, 2100, 1), (2, 2500, 0), (15, 2500, 3), (105, 500, 5),
      (10, 0, 0), (10, 10_000, 5), (0, 2100, 0),
    ])
  func split(price: Int64, basisPoints: Int64, tax: Int64) throws {
    let money = try TestShop.money(price)
    #expect(TaxRate.tax(in: money, basisPoints: basisPoints).minorUnits == tax)
  }

  @Test("STO-3: the tax in the largest price does not overflow", arguments: [1, 2100, 2550, 10_000])
  func largest(basisPoints: Int64) throws {
    let tax = TaxRate.tax(in: try TestShop.money(.max), basisPoints: basisPoints).minorUnits
    let exact = Decimal(Int64.max) * Decimal(basisPoints) / Decimal(10_000 + basisPoints)
    #expect(abs(Decimal(tax) - exact) <= Decimal(string: "0.5") ?? 0)
  }

  @Test("A rate begins at midnight of its country")
  func midnight() throws {
    let rate = try TaxRate(
      country: TestShop.country("EE"), basisPoints: 2400, firstDay: "2025-07-01", timeZone: "Europe/Tallinn",
      source: "s")
    #expect(rate.validFrom.ISO8601Format() == "2025-06-30T21:00:00Z")
    let other = try TaxRate(country: TestShop.country("EE"), basisPoints: 2400, firstDay: "2025-07-01", source: "s")
    #expect(other.validFrom.ISO8601Format() == "2025-07-01T00:00:00Z")
  }

  @Test(
    "A rate for people has no more decimal places than it needs",
    arguments: [
      (2100, "21 %"), (2550, "25.5 %"), (1905, "19.05 %"), (825, "8.25 %"), (0, "0 %"),
    ])
  func percent(basisPoints: Int64, text: String) {
    #expect(TaxRate.percent(basisPoints) == text)
  }

  @Test("The European Union's rates are those of 27 countries, each with its source, and change on their days")
  func europeanUnion() throws {
    let rates = try TaxRateFile.europeanUnion()
    #expect(Set(rates.map(\.country)).count == 27)
    #expect(rates.allSatisfy { (1500...2700).contains($0.basisPoints) && $0.source.contains("2026-11-25") })
    #expect(rates.allSatisfy { $0.timeZone != "UTC" })
    func rate(_ country: String, _ day: String) throws -> Int64? {
      let (country, date) = (try TestShop.country(country), try Date("\(day)T12:00:00Z", strategy: .iso8601))
      return rates.filter { $0.country == country && $0.validFrom <= date }.max { $0.validFrom < $1.validFrom }?
        .basisPoints
    }
    for (country, last, before, first, after) in [
      ("EE", "2025-06-30", 2200, "2025-07-01", 2400), ("SK", "2024-12-31", 2000, "2025-01-01", 2300),
      ("FI", "2024-08-31", 2400, "2024-09-01", 2550), ("RO", "2025-07-31", 1900, "2025-08-01", 2100),
    ] {
      let lastRate = try rate(country, last)
      #expect(lastRate == Int64(before), "\(country)")
      let firstRate = try rate(country, first)
      #expect(firstRate == Int64(after), "\(country)")
    }
    let luxembourg = try rate("LU", "2026-11-25")
    #expect(luxembourg == 1700)
    let hungary = try rate("HU", "2026-11-25")
    #expect(hungary == 2700)
  }

  @Test("Rates are read from JSON and CSV alike")
  func files() throws {
    let json = """
      {"rates": [{"country": "FI", "basis_points": 2550, "valid_from": "2024-09-01", "time_zone": "Europe/Helsinki",
        "source": "Act 1501/1993, as amended"}, {"country": "JP", "basis_points": 1000, "valid_from": "2019-10-01",
        "source": "a \\"law\\""}]}
      """
    let csv = """
      country,basis_points,valid_from,source,time_zone\r
      FI,2550,2024-09-01,"Act 1501/1993, as amended",Europe/Helsinki\r
      JP,1000,2019-10-01,"a ""law""\",UTC\r

      """
    let rates = try TaxRateFile.json(Data(json.utf8))
    let actualCsv = try TaxRateFile.csv(csv)
    #expect(actualCsv == rates)
    #expect(rates.map(\.basisPoints) == [2550, 1000] && rates[1].source == "a \"law\"")
  }

  @Test(
    "A file that is no table of rates is refused with its line and what was expected",
    arguments: [
      ("country,basis_points,valid_from\nFI,2550,2024-09-01", "line 1: expected the columns"),
      ("country,basis_points,valid_from,source\nFI,25.5,2024-09-01,s", "line 2: expected basis_points"),
      ("country,basis_points,valid_from,source\nEL,2400,2016-06-01,s", "line 2: expected a country"),
      ("country,basis_points,valid_from,source\nFI,2550,2024-09-31,s", "line 2: FI: expected valid_from"),
      ("country,basis_points,valid_from,source\nFI,10001,2024-09-01,s", "line 2: FI: expected basis_points"),
      ("country,basis_points,valid_from,source\nFI,2550,2024-09-01,", "line 2: FI: expected the source"),
      ("country,basis_points,valid_from,source\nFI,2550,2024-09-01", "line 2: expected 4 values, got 3"),
      ("country,basis_points,valid_from,source\nFI,2550,2024-09-01,\"s", "expected lines of comma"),
    ])
  func malformed(text: String, fault: String) throws {
    let error = #expect(throws: TaxRateFile.Malformed.self) { try TaxRateFile.csv(text) }
    #expect(error?.description.hasPrefix(fault) == true, "\(error?.description ?? "")")
  }
}
