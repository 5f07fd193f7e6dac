import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// Grants a product, or a revoked order again: `onside grant`.
struct GrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Gives an account a product, or a revoked order again, without a payment.",
    discussion: """
      onside grant --account ID --app ID --product ID [--quantity 3] [--days 30]
      onside grant --order ID

      The grant is an order of price 0 with the reason GRANT: without a sale, a tax or a receipt number, signed, and \
      delivered to the app with its next sync as every other order. A granted subscription runs for one period of its \
      plan, or until the given end; it does not renew, unless its account switches the renewal on. `onside refund` of \
      the grant takes it back.
      With --order a revoked order is granted again: the same product, in its quantity, to its end. A lost dispute of \
      the order takes the grant back, as a refund of the grant does.
      """)

  @OptionGroup var options: ChangeOptions
  @Option(help: ArgumentHelp("The account.", valueName: "id")) var account: String?
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String?
  @Option(help: ArgumentHelp("The product.", valueName: "id")) var product: String?
  @Option(help: "How many units of a consumable.") var quantity = 1
  @Option(help: ArgumentHelp("A revoked order that is granted again.", valueName: "id")) var order: String?
  @OptionGroup var end: EndOptions

  func validate() throws {
    let isGift = account != nil && app != nil && product != nil
    let isPart = account != nil || app != nil || product != nil || quantity != 1
    guard order == nil ? isGift : !isPart else {
      throw ValidationError("expected --account, --app and --product, or --order alone")
    }
  }

  func run() async throws {
    let end = try end.value
    try await options.withStore(act) { core in
      do {
        let id = try await grant(until: end, core)
        print("Granted as the order \(id.uuidString.lowercased()).")
        try await core.showOrder(id.uuidString)
      } catch GrantError.owned {
        throw CommandFailure("\(GrantError.owned); `onside subscription extend` moves the end of a plan")
      } catch let error as GrantError { throw CommandFailure("\(error). Nothing was granted.") }
    }
  }

  private var act: CommandAct {
    guard order == nil else { return CommandAct("grant", of: order?.lowercased(), end.arguments) }
    let gift: [String: String?] = ["app": app, "product": product, "quantity": "\(quantity)"]
    return CommandAct("grant", of: account?.lowercased(), gift.merging(end.arguments) { $1 })
  }

  private func grant(until end: PeriodExtension?, _ core: StoreCore) async throws -> UUID {
    if let order {
      guard let id = UUID(uuidString: order) else { throw CommandFailure.noOrder(order) }
      return try await core.grants.reinstate(id, until: end)
    }
    let (account, app, product) = (account?.lowercased() ?? "", app ?? "", product ?? "")
    _ = try core.registered(app)
    return try await core.grants.grant(
      GrantService.Gift(account: account, app: app, product: product, quantity: quantity, end: end))
  }
}
