import Foundation
import OnsideKit

/// The app of the README in a process of its own: its class, unchanged, on the process's `Onside`.
@MainActor
struct ShopProgram {
  private let shop: ReadmeSample.Shop
  private let reporter = Reporter()

  /// - Parameter file: the file in which the shop saves.
  init(file: URL, configuration: OnsideConfiguration, dependencies: Dependencies) throws {
    Onside.initialize(configuration: configuration, dependencies: dependencies)
    shop = try ReadmeSample.Shop.start(file: file)
    // After the shop: a line about a transaction is written when the shop has handled it.
    Onside.defaultPaymentQueue().add(observer: reporter)
    Onside.defaultPaymentQueue().delegate = reporter
  }

  func obey(_ command: [String]) {
    switch command[0] {
    case "buy":
      // A task, so that a second command is a second tap.
      Task { Reporter.say("result", await buy(command.count > 1 ? command[1] : "")) }
    case "coins": Reporter.say("coins", "\(shop.coins)")
    default: Reporter.say("error", "expected a command, got \(command[0])")
    }
  }

  private func buy(_ product: String) async -> String {
    do {
      switch try await shop.buy(product) {
      case .purchased: return "purchased"
      case .pending: return "pending"
      case .cancelled: return "cancelled"
      case .loginDiscarded: return "loginDiscarded"
      case nil: return "not sold"
      }
    } catch {
      return "\(error)"
    }
  }
}
