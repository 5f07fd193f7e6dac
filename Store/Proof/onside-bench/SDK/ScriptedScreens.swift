import AsyncHTTPClient
import Foundation
import OnsideKit

/// Shows the SDK's login page to a scripted visitor.
struct ScriptedScreens: ScreenPresenter {
  let store: ServerProcess
  let phone: String

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    guard let redirect = URL(string: Accounts.redirect) else { throw BenchFailure("no address to come back to") }
    let address = try await page(redirect)
    let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
    var visitor = Visitor(store: store, client: client)
    let result = await Result { try await visitor.logIn(at: address, phone: phone, redirect: Accounts.redirect) }
    try await client.shutdown()
    return .redirected(try result.get())
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
