import OnsideCommerce

/// The region of an account, which decides what it may buy and at which price.
enum AccountRegion {
  /// Throws `not_authenticated` when the account is no more.
  static func country(of account: String, in connection: any SQLConnection) throws -> CountryCode {
    guard let country = try AccountRecords.country(of: account, in: connection) else { throw Problem.notAuthenticated }
    return country
  }
}
