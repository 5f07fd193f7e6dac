import ArgumentParser
import OnsideStore
import StoreAccounts
import StoreBase

/// From what a person writes to support to the account: `onside account find`.
struct FindAccount: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Shows the account that a phone number or an e-mail address logs in to.",
    discussion: """
      The number has its country code. Who logs in by another provider alone is not found by an address: the store \
      keeps only the provider's name for that person. `onside order show ORDER` says whose an order is; its number is on \
      each receipt.
      """)

  @OptionGroup var options: StoreOptions
  @Argument(
    help: ArgumentHelp(
      "Such as +31612345678 or anna@example.org; - reads it from standard input, which no list of commands keeps.",
      valueName: "number or address"))
  var contact: String

  func run() async throws {
    let typed = contact == "-" ? readLine() ?? "" : contact
    let contact = try Self.contact(typed)
    try await options.withStore { core in
      let ids = try await core.dependencies.database.read { connection in
        try AccountListing.accounts(of: contact, in: connection).map(\.id)
      }
      guard !ids.isEmpty else {
        throw CommandFailure(
          "expected a number or address that logs in to an account; none has this one (any more), or its account was "
            + "removed")
      }
      for id in ids { try await core.showAccount(id) }
    }
  }

  private static func contact(_ typed: String) throws -> Contact {
    do {
      return typed.contains("@") ? .email(try EmailAddress(parsing: typed)) : .phone(try PhoneNumber(parsing: typed))
    } catch {
      throw CommandFailure(
        "expected a phone number with its country code, such as +31612345678, or an e-mail address; the text is neither "
          + "(\(error))")
    }
  }
}
