import Foundation
import OnsideAPI
import StoreTestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TestedSystem {
  /// Posts a form to the store without a login, and returns status and body.
  func post(_ route: Route, fields: [String: String]) async throws -> (status: Int, body: String) {
    var request = URLRequest(url: network.address.appending(path: route.path))
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    var components = URLComponents()
    components.queryItems = fields.map { URLQueryItem(name: $0.key, value: $0.value) }
    request.httpBody = Data((components.percentEncodedQuery ?? "").utf8)
    let (data, response) = try await URLSession.shared.answer(to: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  /// Presents a refresh token.
  func refresh(_ session: StolenSession) async throws -> Int {
    try await post(
      .token,
      fields: ["grant_type": "refresh_token", "refresh_token": session.refreshToken, "client_id": Self.app]
    ).status
  }
}

extension URL {
  /// The values of a query parameter.
  func values(of name: String) -> [String] {
    URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?
      .filter { $0.name == name }.map { $0.value ?? "" } ?? []
  }
}
