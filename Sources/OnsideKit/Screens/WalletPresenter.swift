public import Foundation
import OnsideAPI

/// A presenter that logs in with a Stellar wallet and shows no page for it: it requests the store's login page itself
/// and has the wallet sign the page's challenge (SEP-10). All other screens are shown by another presenter.
///
/// The SDK needs no wallet library: the app passes a closure that checks and signs with its own.
public struct WalletPresenter: ScreenPresenter {
  /// Checks a challenge by SEP-10's rules and returns it signed, in base64; throws when it refuses the challenge. It
  /// must not sign an unchecked transaction: one that is not a challenge may be a payment.
  public typealias Signer = @Sendable (_ challenge: WalletChallenge) async throws -> String

  private let account: String
  private let country: String?
  private let redirect: URL
  private let others: any ScreenPresenter
  private let sign: Signer
  private let transport: any HTTPTransport

  /// A presenter for one account.
  /// - Parameters:
  ///   - account: the account's address, `G…` or `M…`.
  ///   - country: the region (ISO 3166-1) of the store account that the account's first login makes; without it, only
  ///     an account that has logged in before can log in.
  ///   - redirect: one of the app's registered redirect addresses. Nothing listens there.
  ///   - others: shows the other screens.
  ///   - sign: checks and signs.
  public init(
    account: String, country: String? = nil, redirect: URL, others: any ScreenPresenter, sign: @escaping Signer
  ) {
    self.account = account
    self.country = country
    self.redirect = redirect
    self.others = others
    self.sign = sign
    transport = URLSessionTransport(sleep: Dependencies.liveSleep)
  }

  /// Logs in, or has another screen shown.
  /// - Throws: what the signer throws; ``ScreenPresentationError`` when the store does not take the login.
  public func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    try await present(screen, reminders: AsyncStream { $0.finish() }, page: page)
  }

  /// The same; reminders go to the presenter of the other screens.
  public func present(
    _ screen: OnsideScreen, reminders: AsyncStream<Void>,
    page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    guard screen == .login else { return try await others.present(screen, reminders: reminders, page: page) }
    let address = try await page(redirect)
    var visit = HeadlessPageSession(at: address, leavingTo: redirect, transport)
    do {
      return .redirected(try await logIn(&visit))
    } catch  where Task.isCancelled {
      return .dismissed
    }
  }

  /// As the presenter of the other screens.
  public var seesPagesClose: Bool { others.seesPagesClose }

  private func logIn(_ visit: inout HeadlessPageSession) async throws -> URL {
    if let left = try await visit.open() { return left }
    let login = visit.address.appending(path: "wallet")
    let message: WalletChallengeMessage = try await visit.json(login.adding([("account", account)]))
    guard let csrf = message.csrf else { throw ScreenPresentationError("The store's login page has no form.") }
    let challenge = WalletChallenge(
      transaction: message.transaction, networkPassphrase: message.networkPassphrase, account: account,
      homeDomain: visit.domain, information: try await visit.text("/.well-known/stellar.toml"))
    let signed = try await sign(challenge)
    if let left = try await visit.submit([("csrf", csrf), ("signed", signed)], to: login) { return left }
    guard visit.address.lastPathComponent == "region", let country else {
      throw ScreenPresentationError("The store did not take the login: it wants a region, and none was given.")
    }
    if let left = try await visit.submit([("csrf", csrf), ("country", country)], to: visit.address) { return left }
    throw ScreenPresentationError("The store did not take the region \(country).")
  }
}

/// A SEP-10 challenge that a wallet has to sign, with the data to check it.
public struct WalletChallenge: Sendable, Hashable {
  /// The transaction in base64.
  public let transaction: String
  /// The network that the store asks a signature for. The wallet signs for its own, and refuses another.
  public let networkPassphrase: String
  /// The account that logs in.
  public let account: String
  /// The store's domain as the app knows it, with its port if it has one.
  public let homeDomain: String
  /// The domain's `stellar.toml`, loaded from it.
  public let information: String
}
