package import OnsideCommerce

/// Columns with values of the model of commerce.
extension SQLRow {
  package func currency(_ column: String) throws(StorageError) -> Currency {
    guard let currency = Currency(code: try text(column)) else {
      throw .unexpectedValue(column: column, expected: "an ISO 4217 code")
    }
    return currency
  }

  package func country(_ column: String) throws(StorageError) -> CountryCode {
    guard let country = CountryCode(alpha2: try text(column)) else {
      throw .unexpectedValue(column: column, expected: "an ISO 3166-1 alpha-2 code")
    }
    return country
  }
}
