import OnsideAPI
import StoreBase

/// A phone number that opens several accounts, because an earlier version stored it in several spellings.
extension LoginService {
  /// The accounts that a proved login may choose from.
  func choices(_ attempt: LoginAttempt) async throws -> [Account] {
    guard attempt.isVerified, let identity = attempt.identity else { return [] }
    return try await database.read { try AccountRecords.accounts(identity: identity, in: $0) }
  }

  /// Ends a proved login with one of its accounts.
  func choose(_ account: AccountID, for attempt: LoginAttempt, in browser: LoginBrowser) async throws -> Step {
    let (now, keys) = (clock.now(), CompletionKeys(random, browser: browser))
    return try await database.write(at: now) { transaction in
      let current = try LoginRecords.attempt(id: attempt.id, in: transaction)
      guard let provedAt = current?.verifiedAt, let identity = current?.identity, identity == attempt.identity,
        try AccountRecords.accounts(identity: identity, in: transaction).contains(where: { $0.id == account })
      else { return .code(.spent) }
      return try Self.complete(attempt, account: account, keys: keys, provedAt: provedAt, in: transaction)
    }
  }
}
