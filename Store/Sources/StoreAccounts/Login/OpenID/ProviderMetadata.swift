import Foundation

/// What a provider publishes of itself at `/.well-known/openid-configuration` (OpenID Connect Discovery, section 3).
struct ProviderMetadata: Sendable {
  /// How the store proves itself at the token endpoint.
  enum ClientAuthentication: String, Sendable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
  }

  let authorizationEndpoint: String
  let tokenEndpoint: String
  let keysAddress: String
  let authentication: ClientAuthentication
  /// Whether its answers name it (RFC 9207).
  let namesIssuer: Bool
  let offersEmail: Bool

  /// Reads the document of an issuer, and refuses one that the store cannot or must not work with.
  init(_ json: Data, issuer: String) throws(OpenIDFailure) {
    guard let document = try? JSONDecoder().decode(Document.self, from: json) else {
      throw .unexpected("a provider's configuration in JSON, got something else")
    }
    guard document.issuer == issuer else {
      throw .unexpected("the issuer \(issuer), exactly; the provider names itself otherwise")
    }
    for address in [document.authorizationEndpoint, document.tokenEndpoint, document.keysAddress] {
      guard let url = URL(string: address, encodingInvalidCharacters: false), OpenIDProvider.isAllowed(url),
        url.fragment() == nil
      else {
        throw .unexpected("endpoints at https addresses")
      }
    }
    guard document.responseTypes.contains("code") else { throw .unexpected("a provider with response_type code") }
    let known = Set(ProviderKey.Algorithm.allCases.map(\.rawValue))
    guard document.algorithms.map({ !known.isDisjoint(with: $0) }) ?? true else {
      throw .unexpected("ID tokens signed with \(known.sorted().joined(separator: ", "))")
    }
    guard document.challengeMethods?.contains("S256") ?? true else {
      throw .unexpected("a provider that knows the code_challenge_method S256")
    }
    let methods = document.authentications ?? [ClientAuthentication.basic.rawValue]
    guard let authentication = [.basic, .post].first(where: { methods.contains($0.rawValue) }) as ClientAuthentication?
    else { throw .unexpected("a token endpoint with client_secret_basic or client_secret_post") }
    self.authentication = authentication
    authorizationEndpoint = document.authorizationEndpoint
    tokenEndpoint = document.tokenEndpoint
    keysAddress = document.keysAddress
    namesIssuer = document.namesIssuer ?? false
    offersEmail = document.scopes?.contains("email") ?? false
  }
}

private struct Document: Decodable {
  var issuer: String
  var authorizationEndpoint: String
  var tokenEndpoint: String
  var keysAddress: String
  var responseTypes: [String]
  var algorithms: [String]?
  var challengeMethods: [String]?
  var authentications: [String]?
  var namesIssuer: Bool?
  var scopes: [String]?

  enum CodingKeys: String, CodingKey {
    case issuer
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case keysAddress = "jwks_uri"
    case responseTypes = "response_types_supported"
    case algorithms = "id_token_signing_alg_values_supported"
    case challengeMethods = "code_challenge_methods_supported"
    case authentications = "token_endpoint_auth_methods_supported"
    case namesIssuer = "authorization_response_iss_parameter_supported"
    case scopes = "scopes_supported"
  }
}
