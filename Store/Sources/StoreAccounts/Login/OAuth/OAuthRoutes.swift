import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreBase
package import StoreWeb

/// The endpoints that apps call themselves: metadata, tokens, revocation.
package struct OAuthRoutes: RouteGroup {
  package let sessions: SessionService
  package let apps: AppDirectory
  package let address: PublicAddress

  package init(sessions: SessionService, apps: AppDirectory, address: PublicAddress) {
    self.sessions = sessions
    self.apps = apps
    self.address = address
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.authorizationServer) { _, _ in
      var response = try Response.json(AuthorizationServerMetadata(issuer: address.issuer))
      response.headers[.cacheControl] = "public, max-age=300"
      return response
    }
    routes.on(.token, limits: RouteLimits(body: 8 * 1024)) { request, context in
      try await answer { try await token(try await FormFields(request, context: context)) }
    }
    routes.on(.revoke, limits: RouteLimits(body: 8 * 1024)) { request, context in
      try await answer { try await revoke(try await FormFields(request, context: context)) }
    }
  }

  private func token(_ form: FormFields) async throws -> Response {
    guard !form.hasRepetition else { throw OAuthError.invalidRequest("A parameter is given twice.") }
    let clientID = try client(form)
    switch form.single("grant_type") {
    case "authorization_code":
      let redemption = CodeRedemption(
        code: try required(form, name: "code"), clientID: clientID,
        redirectURI: try required(form, name: "redirect_uri"),
        verifier: try required(form, name: "code_verifier"))
      guard let message = try await sessions.exchange(redemption) else { throw OAuthError.invalidGrant }
      return try .token(message)
    case "refresh_token":
      let text = try required(form, name: "refresh_token")
      guard let message = try await sessions.refresh(text, clientID: clientID) else { throw OAuthError.invalidGrant }
      return try .token(message)
    case nil: throw OAuthError.invalidRequest("Expected the parameter grant_type.")
    default: throw OAuthError.unsupportedGrantType
    }
  }

  private func revoke(_ form: FormFields) async throws -> Response {
    guard !form.hasRepetition else { throw OAuthError.invalidRequest("A parameter is given twice.") }
    let clientID = try client(form)
    try await sessions.revoke(try required(form, name: "token"), clientID: clientID)
    return Response(status: .ok)
  }

  private func client(_ form: FormFields) throws(OAuthError) -> String {
    guard let id = form.single("client_id"), apps.app(id) != nil else { throw .invalidClient }
    return id
  }

  private func required(_ form: FormFields, name: String) throws(OAuthError) -> String {
    guard let value = form.single(name) else { throw .invalidRequest("Expected the parameter \(name) once.") }
    return value
  }

  private func answer(_ body: () async throws -> Response) async throws -> Response {
    do {
      return try await body()
    } catch let error as OAuthError {
      return try Self.refusal(error)
    } catch StorageError.invalidValue {
      return try Self.refusal(.invalidRequest("Expected every parameter without U+0000."))
    } catch let problem as Problem where problem.code == .unsupportedMediaType {
      return try Self.refusal(.invalidRequest("Expected a body of application/x-www-form-urlencoded."))
    }
  }

  private static func refusal(_ error: OAuthError) throws -> Response {
    try .json(TokenErrorMessage(error: error.code, errorDescription: error.description), status: error.status)
  }
}

/// An error of RFC 6749, section 5.2.
struct OAuthError: Error, Sendable {
  var code: String
  var description: String
  var status = HTTPResponse.Status.badRequest

  static let invalidClient = OAuthError(
    code: "invalid_client", description: "Expected client_id to be the identifier of a registered app.",
    status: .unauthorized)
  static let invalidGrant = OAuthError(
    code: "invalid_grant",
    description: "The code or refresh token is unknown, expired, used, revoked or not this client's. Log in again.")
  static let unsupportedGrantType = OAuthError(
    code: "unsupported_grant_type", description: "Expected grant_type authorization_code or refresh_token.")

  static func invalidRequest(_ description: String) -> OAuthError {
    OAuthError(code: "invalid_request", description: description)
  }
}

extension Response {
  fileprivate static func token(_ message: TokenMessage) throws -> Response {
    var response = try json(message)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
