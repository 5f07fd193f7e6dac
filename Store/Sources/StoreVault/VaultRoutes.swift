import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI
import OnsideVault
package import StoreBase
package import StoreWeb

/// The HTTP routes of the vault. Only requests that a device has signed reach the data.
package struct VaultRoutes: RouteGroup {
  private static let limits = RouteLimits(body: 4 * 1024)

  let vault: VaultService
  let clock: any StoreClock
  let proxies: Proxies
  /// The rate limit of enrolments. Each unconfirmed one is a row for a day, and a wallet needs few.
  private let enrolments = RateLimiter(RateLimit(perSecond: 1, burst: 60))

  package init(vault: VaultService, clock: any StoreClock, proxies: Proxies) {
    self.vault = vault
    self.clock = clock
    self.proxies = proxies
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.vaultEnrol, limits: Self.limits) { request, context in
      let (signature, body) = try await signed(request, context: context)
      let client = request.clientAddress(context, proxies: proxies)
      try enrolments.require(NetworkPrefix.of(client), uptime: clock.uptime())
      let asked = try request.message(VaultEnrolRequest.self, body)
      return try .json(try await vault.enrol(asked, by: signature), status: .created)
    }
    routes.on(.vaultState, limits: Self.limits) { request, context in
      let (signature, _) = try await signed(request, context: context)
      let id = try id(context)
      return try .json(try await vault.state(of: id, by: signature))
    }
    routes.on(.vaultEvaluate, limits: Self.limits) { request, context in
      let (signature, body) = try await signed(request, context: context)
      try request.checkMediaType()
      let asked = try VaultEvaluateRequest(canonical: body) ?? request.message(VaultEvaluateRequest.self, body)
      let id = try id(context)
      return .bytes(
        try await vault.evaluate(asked.blinded.bytes, for: id, by: signature).json, contentType: "application/json")
    }
    for (route, event) in Self.events {
      routes.on(route, limits: Self.limits) { request, context in
        let (signature, body) = try await signed(request, context: context)
        let (id, event) = (try id(context), try event(request, body))
        return try .json(try await vault.handle(event, of: id, by: signature))
      }
    }
  }

  /// The routes whose body becomes a ``VaultEvent``.
  private static let events: [(Route, @Sendable (Request, [UInt8]) throws -> VaultEvent)] = [
    (.vaultSeal, { .seal(tagHash: try bytes("tag_hash", value: $0.message(VaultSealRequest.self, $1).tagHash)) }),
    (
      .vaultConfirm,
      { .confirm(tag: try bytes("unlock_tag", value: $0.message(VaultConfirmRequest.self, $1).unlockTag)) }
    ),
    (.vaultDestroy, { _, _ in .destroy }),
  ]

  private static func bytes(_ field: String, value: WireBytes) throws(Problem) -> [UInt8] {
    guard value.bytes.count == 32 else { throw .invalidRequest("\(field): expected 32 bytes as base64url.") }
    return value.bytes
  }

  /// The request's checked signature, and its body.
  private func signed(
    _ request: Request, context: StoreRequestContext
  ) async throws -> (VaultSignature, [UInt8]) {
    let body = Array(try await request.body.collect(upTo: context.maxUploadSize).readableBytesView)
    let asked = VaultRequest(request.method == .get ? .get : .post, request.uri.path, body: body)
    guard let signature = VaultSignature(header: request.headers[.vaultSignature], of: asked) else {
      throw Problem(
        .unauthorized, code: .invalidSignature,
        detail: "Expected the header \(WireHeader.vaultSignature) of this very request.")
    }
    return (signature, body)
  }

  private func id(_ context: StoreRequestContext) throws(Problem) -> VaultEnrolmentID {
    guard let id = context.parameters.get("id").flatMap({ VaultEnrolmentID($0) }) else { throw .notFound }
    return id
  }
}
