import StoreAccounts
import StoreBase

extension StoreCore {
  /// The phone numbers that log in to several accounts, masked, each with the ids of its accounts: an earlier version
  /// stored them in several spellings.
  public func sharedNumbers() async throws -> [(number: String, accounts: [String])] {
    try await dependencies.database.read { try AccountRecords.sharedNumbers(in: $0) }
  }
}
