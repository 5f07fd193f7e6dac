import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StoreWeb

/// The table of logins.
enum LoginRecords {
  static func insert(_ attempt: LoginAttempt, in transaction: StoreTransaction) throws {
    try LoginColumns(attempt).insert(in: transaction)
  }

  static func attempt(id: String, in connection: any SQLConnection) throws -> LoginAttempt? {
    guard let row = try connection.row("SELECT * FROM login_attempts WHERE id = $1", [.text(id)]) else { return nil }
    return try LoginAttempt(row)
  }

  /// Sets another number or address and clears the proof of an earlier one.
  static func setContact(of id: String, _ contact: Contact, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE login_attempts SET phone = $2, label = NULL, verified_at = NULL WHERE id = $1",
      [.text(id), .text(contact.text)])
  }

  /// Sets an identity that its issuer has just vouched for.
  static func setProved(of id: String, _ proved: ProvedIdentity, in transaction: StoreTransaction) throws {
    try transaction.execute(
      "UPDATE login_attempts SET phone = $2, label = $3, verified_at = NULL WHERE id = $1 AND finished_at IS NULL",
      [.text(id), .text(proved.identity.text), .text(proved.label)])
  }

  /// Marks the identity as proved; false when the login has another identity by now, or is over.
  static func setVerified(
    _ id: String, identity: Identity, at time: Date, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.execute(
      "UPDATE login_attempts SET verified_at = $2 WHERE id = $1 AND phone = $3 AND finished_at IS NULL",
      [.text(id), .date(time), .text(identity.text)]) == 1
  }

  /// Ends a login; false when it had ended already, so that two answers at once give one.
  static func finish(_ id: String, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      "UPDATE login_attempts SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL",
      [.text(id), .date(transaction.now)]) == 1
  }

  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(from: "login_attempts", where: "expires_at < $1", [.date(transaction.now - 3600)])
  }
}

extension LoginAttempt {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      id: try row.text("id"), browser: try row.text("browser"), purpose: try Purpose(row),
      language: Language(rawValue: try row.text("language")) ?? .english,
      theme: Theme(rawValue: try row.text("theme")) ?? .auto,
      countryHint: try row.optionalText("country_hint").flatMap { CountryCode(alpha2: $0) },
      isProof: try row.integer("is_proof") != 0, isLocal: try row.integer("is_local") != 0,
      identity: try row.optionalText("phone").flatMap(Identity.init(stored:)), label: try row.optionalText("label"),
      verifiedAt: try row.optionalDate("verified_at"), isFinished: try row.optionalDate("finished_at") != nil,
      expiresAt: try row.date("expires_at"))
  }
}

extension LoginAttempt.Purpose {
  fileprivate init(_ row: SQLRow) throws {
    if let account = try row.optionalText("account_id").flatMap({ AccountID($0) }) {
      self = .add(to: account)
    } else if let clientID = try row.optionalText("app_id") {
      self = .app(
        AuthorizationRequest(
          clientID: clientID, redirectURI: try row.text("redirect_uri"),
          codeChallenge: try row.text("code_challenge"), state: try row.optionalText("state")))
    } else {
      self = .web(next: try row.optionalText("next_path") ?? "/")
    }
  }
}

/// The columns of a new login attempt.
private struct LoginColumns: TableRecord {
  static let table = "login_attempts"
  let attempt: LoginAttempt
  /// The request of the app that waits; nil for another purpose.
  private var request: AuthorizationRequest?
  private var nextPath: String?
  private var account: AccountID?

  init(_ attempt: LoginAttempt) {
    self.attempt = attempt
    switch attempt.purpose {
    case .app(let value): request = value
    case .web(let path): nextPath = path
    case .add(let id): account = id
    }
  }

  var key: Columns { ["id": .text(attempt.id)] }

  var fixed: Columns {
    [
      "browser": .text(attempt.browser),
      "app_id": .text(request?.clientID),
      "redirect_uri": .text(request?.redirectURI),
      "code_challenge": .text(request?.codeChallenge),
      "state": .text(request?.state),
      "next_path": .text(nextPath),
      "account_id": .text(account?.description),
      "language": .text(attempt.language.rawValue),
      "theme": .text(attempt.theme.rawValue),
      "country_hint": .text(attempt.countryHint?.alpha2),
      "is_proof": .bool(attempt.isProof),
      "is_local": .bool(attempt.isLocal),
      "expires_at": .date(attempt.expiresAt),
    ]
  }
}
