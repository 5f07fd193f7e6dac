public import Foundation
import OnsideCommerce
import StoreBase

/// Reads tax rates from a file: JSON or CSV.
public enum TaxRateFile {
  /// A file that cannot be read as rates: where, what was expected, and what came.
  public struct Malformed: Error, Sendable, CustomStringConvertible {
    /// The fault.
    public let description: String
  }

  /// The standard rates of the 27 member states of the European Union that come with the program.
  public static func europeanUnion() throws -> [TaxRate] {
    try csv(String(decoding: PackageResources.eu_standard_rates_csv, as: UTF8.self))
  }

  /// Rates in JSON: `{"rates": [{"country": "FI", "basis_points": 2550, "valid_from": "2024-09-01", "time_zone":
  /// "Europe/Helsinki", "source": "…"}]}`. The time zone may be missing: then the day is one of UTC. Throws
  /// ``Malformed``.
  public static func json(_ data: Data) throws -> [TaxRate] {
    let document: Document
    do { document = try JSONDecoder().decode(Document.self, from: data) } catch {
      throw Malformed(
        description: """
          expected {"rates": [{"country", "basis_points", "valid_from", "source"}]} with whole basis points: \(error)
          """)
    }
    return try document.rates.enumerated().map { index, row in try row.rate(at: "rate \(index + 1)") }
  }

  /// Rates in CSV, whose first line names the columns: `country,basis_points,valid_from,source`, and `time_zone` where
  /// there is one. Throws ``Malformed``.
  public static func csv(_ text: String) throws -> [TaxRate] {
    guard let rows = CSV.rows(text), let header = rows.first else {
      throw Malformed(description: "expected lines of comma-separated values, the first of which names the columns")
    }
    let required = ["country", "basis_points", "valid_from", "source"]
    let (missing, unknown) = (
      required.filter { !header.contains($0) }, header.filter { !(required + ["time_zone"]).contains($0) }
    )
    guard missing.isEmpty, unknown.isEmpty, Set(header).count == header.count else {
      throw Malformed(
        description:
          "line 1: expected the columns \(required.joined(separator: ",")), and time_zone where there is one, "
          + "got \(header.joined(separator: ","))")
    }
    return try rows.dropFirst().enumerated().map { index, cells in
      let line = "line \(index + 2)"
      guard cells.count == header.count else {
        throw Malformed(description: "\(line): expected \(header.count) values, got \(cells.count)")
      }
      let fields = Dictionary(uniqueKeysWithValues: zip(header, cells))
      guard let points = Int64(fields["basis_points", default: ""]) else {
        throw Malformed(
          description: "\(line): expected basis_points as a whole number of hundredths of a percent, got "
            + "\"\(fields["basis_points", default: ""])\"")
      }
      return try Row(
        country: fields["country", default: ""], points: points, day: fields["valid_from", default: ""],
        zone: fields["time_zone"], source: fields["source", default: ""]
      ).rate(at: line)
    }
  }

  private struct Document: Decodable { let rates: [Row] }

  private struct Row: Decodable {
    let country: String
    let points: Int64
    let day: String
    let zone: String?
    let source: String

    enum CodingKeys: String, CodingKey {
      case country
      case points = "basis_points"
      case day = "valid_from"
      case zone = "time_zone"
      case source
    }

    func rate(at place: String) throws(Malformed) -> TaxRate {
      guard let country = CountryCode(alpha2: country) else {
        throw Malformed(description: "\(place): expected a country of ISO 3166-1 such as GR, got \"\(country)\"")
      }
      do {
        return try TaxRate(
          country: country, basisPoints: points, firstDay: day, timeZone: zone ?? "UTC", source: source)
      } catch {
        throw Malformed(description: "\(place): \(error)")
      }
    }
  }
}
