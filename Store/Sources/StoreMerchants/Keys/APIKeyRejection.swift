import Foundation
import HTTPTypes
import OnsideAPI
import StoreWeb

/// The reason for which an API key is rejected. Ids are no secrets, so the answer names them.
enum APIKeyRejection: Error, Hashable {
  /// No header `Authorization`, or not one with a token.
  case form
  /// No key has the id.
  case id(String)
  /// The key has another secret.
  case secret(id: String)
  /// The secret was replaced, and its validity has ended.
  case replaced(id: String, at: Date)
  /// The key has no such scope.
  case scope(APIKeyScope, of: APIKeyCaller)
}

extension APIKeyRejection: CustomStringConvertible {
  /// The expected and the actual value, without secrets.
  var description: String { problem.detail ?? "" }
}

extension APIKeyRejection: ProblemConvertible {
  var problem: Problem {
    switch self {
    case .form:
      invalid("Expected the header Authorization with Bearer and an API key, onsk_ID_SECRET.")
    case .id(let id):
      invalid("There is no API key \(id), or it was removed.")
    case .secret(let id):
      invalid("The secret is not one of the API key \(id).")
    case .replaced(let id, let end):
      invalid("The secret of the API key \(id) was replaced, and was valid until \(end.ISO8601Format()).")
    case .scope(let scope, let caller):
      Problem(
        .forbidden, code: .forbidden,
        detail: "Expected an API key with the scope \(scope); \(caller.key) has \(caller.scopes.text).")
    }
  }

  private func invalid(_ detail: String) -> Problem {
    Problem(.unauthorized, code: .invalidAPIKey, detail: detail)
  }
}
