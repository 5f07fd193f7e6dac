import OnsideCommerce

/// The region of an account, which decides what it may buy and at which price.
enum AccountRegion {
  /// Throws `not_authenticated` when the account is no more.
  static func country(of account: String, _ connection: any SQLConnection) throws -> CountryCode {
    let row = try connection.row(
      "SELECT country FROM accounts WHERE id = $1 AND removed_at IS NULL", [.text(account)])
    guard let row else { throw Problem.notAuthenticated }
    guard let country = CountryCode(alpha2: try row.text("country")) else {
      throw StorageError.unexpectedValue(column: "country", expected: "an ISO 3166-1 alpha-2 code")
    }
    return country
  }
}
