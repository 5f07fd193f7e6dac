import Foundation
import OnsideCommerce

/// One login, from the first page to the answer. It belongs to the browser that began it.
package struct LoginAttempt: Sendable {
  /// What the login is for.
  package enum Purpose: Sendable, Hashable {
    /// An app waits for an authorization code.
    case app(AuthorizationRequest)
    /// A page of the store itself; the path to go on to.
    case web(next: String)
  }

  /// An unguessable name, part of the pages' addresses.
  package let id: String
  /// The hash of the browser's cookie.
  let browser: String
  let purpose: Purpose
  let language: Language
  let theme: Theme
  /// Where the app thinks that the person is; it only fills in the dialling code.
  let countryHint: CountryCode?
  /// What its person says to be theirs. In the tables it stands in the column `phone`, which is older than e-mail.
  var contact: Contact?
  /// True once the code was right; the account is made after the region is chosen.
  var isVerified = false
  var isFinished = false
  let expiresAt: Date

  static let lifetime: TimeInterval = 30 * 60
}

/// The table of logins.
enum LoginRecords {
  static func insert(_ connection: any SQLConnection, _ attempt: LoginAttempt) throws {
    var request: AuthorizationRequest?
    var next: String?
    switch attempt.purpose {
    case .app(let value): request = value
    case .web(let path): next = path
    }
    try connection.execute(
      """
      INSERT INTO login_attempts(
        id, browser, app_id, redirect_uri, code_challenge, state, next_path, language, theme, country_hint, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      [
        .text(attempt.id), .text(attempt.browser), .text(request?.clientID), .text(request?.redirectURI),
        .text(request?.codeChallenge), .text(request?.state), .text(next), .text(attempt.language.rawValue),
        .text(attempt.theme.rawValue), .text(attempt.countryHint?.alpha2), .date(attempt.expiresAt),
      ])
  }

  static func attempt(_ connection: any SQLConnection, id: String) throws -> LoginAttempt? {
    guard let row = try connection.row("SELECT * FROM login_attempts WHERE id = $1", [.text(id)]) else { return nil }
    var purpose = LoginAttempt.Purpose.web(next: try row.optionalText("next_path") ?? "/")
    if let clientID = try row.optionalText("app_id") {
      purpose = .app(
        AuthorizationRequest(
          clientID: clientID, redirectURI: try row.text("redirect_uri"),
          codeChallenge: try row.text("code_challenge"), state: try row.optionalText("state")))
    }
    return LoginAttempt(
      id: id, browser: try row.text("browser"), purpose: purpose,
      language: Language(rawValue: try row.text("language")) ?? .english,
      theme: Theme(rawValue: try row.text("theme")) ?? .auto,
      countryHint: try row.optionalText("country_hint").flatMap { CountryCode(alpha2: $0) },
      contact: try row.optionalText("phone").flatMap(Contact.init(stored:)),
      isVerified: try row.optionalDate("verified_at") != nil, isFinished: try row.optionalDate("finished_at") != nil,
      expiresAt: try row.date("expires_at"))
  }

  /// Takes another number or address, which undoes the proof of an earlier one.
  static func setContact(_ connection: any SQLConnection, of id: String, _ contact: Contact) throws {
    try connection.execute(
      "UPDATE login_attempts SET phone = $2, verified_at = NULL WHERE id = $1", [.text(id), .text(contact.text)])
  }

  /// Notes that the contact was proved; false when the login is about another one by now, or over.
  static func setVerified(
    _ connection: any SQLConnection, _ id: String, _ contact: Contact, now: Date
  ) throws -> Bool {
    try connection.execute(
      "UPDATE login_attempts SET verified_at = $2 WHERE id = $1 AND phone = $3 AND finished_at IS NULL",
      [.text(id), .date(now), .text(contact.text)]) == 1
  }

  /// Ends a login; false when it had ended already, so that two answers at once give one.
  static func finish(_ connection: any SQLConnection, _ id: String, now: Date) throws -> Bool {
    try connection.execute(
      "UPDATE login_attempts SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL", [.text(id), .date(now)]) == 1
  }

  static func purge(_ connection: any SQLConnection, now: Date) throws {
    try connection.execute("DELETE FROM login_attempts WHERE expires_at < $1", [.date(now - 3600)])
  }
}
