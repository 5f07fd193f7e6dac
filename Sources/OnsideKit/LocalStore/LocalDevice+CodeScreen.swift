import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization

/// The page on which a developer plays the user who redeems a code. Without screens the user enters none.
extension LocalDevice {
  func presentCodeRedemption(
    appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    if local.isOffline { throw .connection }
    guard let account = signedIn?.accountID else { throw .notSignedIn }
    let buyer = LocalBuyer(account: account, appAccountToken: appAccountToken)
    if let person { return await redeem(as: person, for: buyer) }
    guard !local.settings.disableDialogs else { return }
    try await showCodePage(for: buyer, on: screens)
  }

  private func redeem(as person: any LocalPerson, for buyer: LocalBuyer) async {
    guard let code = await person.entersCode() else { return }
    switch local.change({ shop, now in shop.redeem(code, by: buyer, at: now) }) {
    case .success(let order): await pay(order, as: person)
    case .failure(let problem): person.reads(problem.description)
    }
  }

  private func showCodePage(for buyer: LocalBuyer, on screens: any ScreenPresenter) async throws(StoreError) {
    let order = Mutex<OrderMessage?>(nil)
    // The page was closed before the user paid.
    defer {
      if let left = order.withLock({ $0?.id }) {
        local.control { shop, now in shop.cancelUnpaid(left, because: .user, at: now) }
      }
    }
    let first = local.look { shop, _ in LocalPage.code(shop.codeOffers) }
    _ = try await showing(.codeRedemption, logger: dependencies.logger) {
      try await LocalScreen(sleep: dependencies.sleep, randomBytes: dependencies.randomBytes)
        .show(.codeRedemption, on: screens, first: first) { [local] form in
          local.control { shop, now in
            if let open = order.withLock({ $0 }) { return shop.paymentStep(of: open, LocalPage.Act(form)) }
            guard LocalPage.Act(form) == .go else { return .cancelled }
            let code = form["code"] ?? ""
            switch shop.redeem(code, by: buyer, at: now) {
            case .success(let made):
              order.withLock { $0 = made }
              return .page(.payment(made))
            case .failure(let problem): return .page(.code(shop.codeOffers, problem: problem, typed: code))
            }
          }
        } settle: { [local] (outcome: LocalPaymentOutcome) in
          guard let id = order.withLock({ $0?.id }) else { return }
          order.withLock { $0 = nil }
          local.change { shop, now in shop.settle(id, with: outcome, at: now) }
          await local.save()
        }
    }
  }
}

/// The account that redeems a code, with the app's token for its user.
struct LocalBuyer: Sendable {
  let account: AccountID
  let appAccountToken: String?
}

/// Why a code is not taken; its description is what the page says.
enum LocalCodeProblem: Error, Hashable, CustomStringConvertible {
  case unknown
  case notForAccount

  var description: String {
    switch self {
    case .unknown: "There is no such code."
    case .notForAccount: "This offer is not for this account now."
    }
  }
}

extension LocalShop {
  /// The names of the offers of codes, which stand for their codes.
  fileprivate var codeOffers: [String] {
    catalogue.products.flatMap { $0.subscription?.offers ?? [] }.filter { $0.kind == .code }.map(\.id)
  }

  /// Makes the order of an account that redeems a code, typed in capital letters or not.
  fileprivate mutating func redeem(
    _ code: String, by buyer: LocalBuyer, at now: Date
  ) -> Result<OrderMessage, LocalCodeProblem> {
    let typed = code.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    guard let name = codeOffers.first(where: { $0.lowercased() == typed }), let known = offer(named: name) else {
      return .failure(.unknown)
    }
    let request = request(for: known.offer, of: known.product, by: buyer)
    let made = try? makeOrder(OrderID(newID(at: now)), request: request, by: buyer.account, at: now, way: .code)
    return made.map { .success($0) } ?? .failure(.notForAccount)
  }
}
