import Foundation
import HTTPTypes
import OnsideAPI
import OnsideVault
import StoreBaseTestSupport

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreWeb

/// The kinds of callers in the access matrix: the columns of `docs/access.md`.
enum Role: String, CaseIterable {
  case nobody
  case app
  case unknownApp = "unknown app"
  case user
  case otherUser = "other user"
  case otherApp = "user, other app"
  case forgedToken = "forged token"
  case expiredToken = "expired token"
  case removedApp = "removed app"
  case removedAccount = "removed account"
  case provider
  case merchant = "merchant's server"
  case device = "wallet's device"
  case readKey = "key with read"
  case supportKey = "key with support"
  case financeKey = "key with finance"
  case merchantToken = "merchant's JWT"

  /// Adds the credentials of this caller to a request.
  func sign(_ probe: inout Probe, in world: InterfaceWorld) {
    switch self {
    case .nobody: break
    case .app: probe.headers[.onsideApp] = InterfaceWorld.app
    case .unknownApp: probe.headers[.onsideApp] = "io.example.unknown"
    case .user: probe.bearer(world.token(InterfaceWorld.user))
    case .otherUser: probe.bearer(world.token(InterfaceWorld.otherUser))
    case .otherApp: probe.bearer(world.token(InterfaceWorld.user, app: InterfaceWorld.otherApp))
    case .forgedToken:
      let token = world.token(InterfaceWorld.user)
      probe.bearer(token.dropLast() + (token.hasSuffix("A") ? "B" : "A"))
    case .expiredToken: probe.bearer(world.token(InterfaceWorld.user, at: world.store.clock.now() - 601))
    case .removedApp: probe.bearer(world.token(InterfaceWorld.user, app: "io.example.unknown"))
    case .removedAccount: probe.bearer(world.token(InterfaceWorld.removedUser))
    case .provider:
      probe.headers[.sandboxSignature] = SandboxSignature.of(
        Array(probe.body.utf8), key: world.store.core.sandboxProviderKey)
    case .merchant: probe.headers[.authorization] = world.credential
    case .readKey: probe.bearer(world.keys[.read] ?? "")
    case .supportKey: probe.bearer(world.keys[.support] ?? "")
    case .financeKey: probe.bearer(world.keys[.finance] ?? "")
    case .merchantToken: probe.bearer(world.merchant.token(at: world.store.clock.now()))
    case .device:
      let request = VaultRequest(probe.method == .get ? .get : .post, probe.uri, body: Array(probe.body.utf8))
      probe.headers[.vaultSignature] = world.wallet.device.sign(
        request, time: world.store.clock.now().millisecondsSince1970)
    }
  }
}

extension Probe {
  mutating func bearer(_ token: some StringProtocol) { headers[.authorization] = "Bearer \(token)" }
}
