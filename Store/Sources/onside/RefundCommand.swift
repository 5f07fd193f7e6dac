import ArgumentParser
import Foundation
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales

/// Gives money of an order back; `onside refund` and `onside order refund` are the same.
struct RefundCommand: AsyncParsableCommand {
  enum Reason: String, ExpressibleByArgument, CaseIterable {
    case refund
    case support
    case chargeback
  }

  static let configuration = CommandConfiguration(
    commandName: "refund", abstract: "Gives the money back, and with the whole price takes the purchase away.",
    discussion: """
      The payment provider is told, and the app hears of it with its next sync. A part of the price leaves the
      purchase with the buyer, unless the app was added with `--refunds-revoke any`. An order may have several refunds,
      up to its price.
      """)

  @OptionGroup var options: ChangeOptions
  @Argument(help: "The order's id.") var id: String
  @Option(
    help: ArgumentHelp(
      "How much, in the order's currency, such as 1.99. Default: all that is left.", valueName: "amount"))
  var amount: String?
  @Option(help: "Why: refund, support or chargeback.") var reason = Reason.refund

  func run() async throws {
    try await options.withStore(
      CommandAct("refund", of: id.lowercased(), ["amount": amount, "reason": reason.rawValue])
    ) { core in
      let order = try await core.order(id)
      guard let uuid = UUID(uuidString: order.id) else { throw CommandFailure.noOrder(id) }
      do {
        try await core.refunds.refund(
          uuid, amount: try money(of: order), because: RevocationReason(rawValue: reason.rawValue.uppercased()))
      } catch let error as OrderTransitionError {
        throw CommandFailure("expected an order that is paid and not refunded, but \(order.id): \(error)")
      } catch let error as RefundError {
        switch error {
        case .amount, .currency, .step: throw CommandFailure("--amount: \(error)")
        default: throw CommandFailure("\(error)")
        }
      }
      try await core.showOrder(id)
    }
  }

  private func money(of order: OrderListing) throws -> Money? {
    guard let amount else { return nil }
    let currency = order.price.currency
    guard let decimal = Decimal(string: amount, locale: Locale(identifier: "en_US_POSIX")),
      amount.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let money = try? Money(exactly: decimal, currency: currency)
    else {
      throw CommandFailure(
        "--amount: expected an amount of \(currency.code) such as \(order.price.amount), got \"\(amount)\"")
    }
    return money
  }
}

extension StoreCore {
  /// Prints an order, its refunds, its tax, and what happened.
  func showOrder(_ id: String) async throws {
    let order = try await order(id)
    guard let uuid = UUID(uuidString: order.id) else { throw CommandFailure.noOrder(id) }
    order.show(try await refunds.refunds(of: uuid))
    try await tax.tax(of: uuid)?.show(price: order.price)
    let story = try await dependencies.database.read { try PurchaseStory(of: uuid, in: $0) }
    print("story")
    for event in story.events { print("  \(event.date.ISO8601Format())  \(event.text)") }
  }
}

extension Refund {
  /// A line about it.
  var fact: (String, String?) {
    let what = "\(amount.amount) \(amount.currency.code), \(reason.rawValue), by the \(origin.rawValue)"
    let outcome =
      switch state {
      case .asked: "asked for \(askedAt.ISO8601Format())"
      case .settled: "settled \(endedAt?.ISO8601Format() ?? "")"
      case .failed:
        "failed \(endedAt?.ISO8601Format() ?? ""): \(failure ?? "without a reason")"
          + (isClosed ? ", closed" : replacedBy.map { ", replaced by \($0)" } ?? "")
      }
    return (isSurplus ? "money back" : "refund", "\(what), \(outcome)")
  }
}
