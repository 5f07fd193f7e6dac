import Foundation
import OnsideKit

typealias Shop = ReadmeSample.Shop

/// The app of the README in a process of its own: its class with the extensions of other pages, unchanged, on the
/// process's `Onside`.
@MainActor
struct ShopProgram {
  private let shop: Shop
  private let reporter = Reporter()

  /// - Parameter file: the file in which the shop saves.
  init(file: URL, configuration: OnsideConfiguration, dependencies: Dependencies) throws {
    Onside.initialize(configuration: configuration, dependencies: dependencies)
    shop = try Shop.start(file: file)
    // After the shop: a line about a transaction is written when the shop has handled it.
    Onside.defaultPaymentQueue().add(observer: reporter)
    Onside.defaultPaymentQueue().delegate = reporter
  }

  /// Calls of the shop are tasks, so that a second command is a second tap.
  func obey(_ command: [String]) {
    let arguments = Array(command.dropFirst())
    switch (command[0], arguments.count) {
    case ("buy", 1): report { try await shop.buy(arguments[0]) }
    case ("change", 1): report { try await shop.change(to: arguments[0]) }
    case ("win-back", 1): report { try await winBack(in: arguments[0]) }
    case ("offer", 2...4): report { try await buy(with: arguments) }
    case ("code", 0):
      report {
        try await shop.enterCode()
        return nil
      }
    case ("coins", 0): Reporter.say("coins", "\(shop.coins)")
    default: Reporter.say("error", "expected a command, got \(command.joined(separator: " "))")
    }
  }

  /// Buys the best win-back offer, as the button with this label does.
  private func winBack(in group: String) async throws -> OnsidePurchaseResult? {
    guard let (product, offer) = try await shop.winBackOffer(in: group) else { return nil }
    Reporter.say("label", shop.label(for: product, offer))
    return try await shop.buy(product, offer: offer.offerIdentifier)
  }

  /// - Parameter arguments: the product, the offer, and for a promotional offer the user and the signature.
  private func buy(with arguments: [String]) async throws -> OnsidePurchaseResult? {
    guard let product = try await Onside.products(for: [arguments[0]]).products.first else { return nil }
    let (user, signature) = arguments.count == 4 ? (arguments[2], arguments[3]) : (nil, nil)
    return try await shop.buy(product, offer: arguments[1], signature: signature, user: user)
  }

  private func report(_ call: @escaping @MainActor () async throws -> OnsidePurchaseResult?) {
    Task {
      do {
        Reporter.say("result", Self.name(of: try await call()))
      } catch {
        Reporter.say("result", "\(error)")
      }
    }
  }

  private static func name(of result: OnsidePurchaseResult?) -> String {
    switch result {
    case .purchased: "purchased"
    case .pending: "pending"
    case .cancelled: "cancelled"
    case .loginDiscarded: "loginDiscarded"
    case nil: "nil"
    }
  }
}
