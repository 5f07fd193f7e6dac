import ArgumentParser
import Foundation
import OnsideWallet
import OnsideWalletImport
import Stellar

extension WalletCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes over the key of a SwiftBasicPay item, under a new PIN.",
      discussion: """
        The file holds the item's text. The old format cannot prove whose key it is: the address is shown first. With
        --pin-fd the first line is the old PIN, the second the new one, and --address says what is expected.
        """)

    @OptionGroup var options: WalletOptions
    @OptionGroup var new: NewWalletOptions
    @OptionGroup var entry: SecretEntry
    @Argument(help: "The file with the old item.") var file: String
    @Option(help: "The address that the item must have.") var address: String?

    func run() async throws {
      let profile = try new.profile()
      let service = try options.newService(profile)
      guard try !service.userIsSignedUp else { throw WalletError.alreadySignedUp }
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let old = try entry.pin("Old PIN: ")
      let pair = try LegacyItem(text.trimmingCharacters(in: .whitespacesAndNewlines)).keyPair(pin: old)
      try confirm(pair.address)
      let pin = try entry.newPIN()
      let address = try service.signUp(importing: pair, oldPIN: old, newPIN: pin)
      print(address)
      print(try WalletText.protection(of: service, profile))
      print(
        """
        Delete the old item now. Old backups of it still give the key away: make a new wallet, and move what is worth
        anything there.
        """)
    }

    private func confirm(_ found: String) throws {
      if let address {
        guard address == found else {
          throw CommandFailure("expected \(address), the item has \(found); nothing was done")
        }
        return
      }
      guard entry.isTyped else {
        throw CommandFailure("expected --address, since --pin-fd asks no questions; the item has \(found)")
      }
      try Terminal.show("The item's address is \(found).\n")
      let answer = try Terminal.line("Type yes if that is yours: ")
      guard answer.withBytes({ $0.elementsEqual("yes".utf8) }) else { throw CommandFailure("nothing was done") }
    }
  }
}
