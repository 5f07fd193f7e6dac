import Foundation
import StoreWeb

extension PublicAddress {
  /// The name of this authorization server: its address.
  package var issuer: String { url.absoluteString }
}

/// What an OAuth client can learn about this server by itself (RFC 8414).
struct AuthorizationServerMetadata: Encodable, Sendable {
  let issuer: String
  let authorizationEndpoint: String
  let tokenEndpoint: String
  let revocationEndpoint: String
  let jwksURI: String
  let responseTypesSupported = ["code"]
  let responseModesSupported = ["query"]
  let grantTypesSupported = ["authorization_code", "refresh_token"]
  let codeChallengeMethodsSupported = ["S256"]
  let tokenEndpointAuthMethodsSupported = ["none"]
  let revocationEndpointAuthMethodsSupported = ["none"]
  let authorizationResponseIssParameterSupported = true
  let uiLocalesSupported = Language.allCases.map(\.rawValue)

  init(issuer: String) {
    self.issuer = issuer
    authorizationEndpoint = issuer + "/oauth/authorize"
    tokenEndpoint = issuer + "/oauth/token"
    revocationEndpoint = issuer + "/oauth/revoke"
    jwksURI = issuer + "/.well-known/jwks.json"
  }

  enum CodingKeys: String, CodingKey {
    case issuer
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case jwksURI = "jwks_uri"
    case responseTypesSupported = "response_types_supported"
    case responseModesSupported = "response_modes_supported"
    case grantTypesSupported = "grant_types_supported"
    case codeChallengeMethodsSupported = "code_challenge_methods_supported"
    case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
    case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
    case authorizationResponseIssParameterSupported = "authorization_response_iss_parameter_supported"
    case uiLocalesSupported = "ui_locales_supported"
  }
}
