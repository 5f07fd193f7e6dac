import ArgumentParser

/// A signing key behind a PIN.
struct WalletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet", abstract: "Keeps a signing key behind a PIN, and signs with it.",
    discussion: """
      The key's other half lies with a vault, a store that counts wrong PINs and destroys it at the tenth; --no-vault
      works without one, and then nothing limits guesses. PINs are typed, or read from a file descriptor (--pin-fd),
      never given as an argument. docs/wallet.md tells the rest.
      """,
    subcommands: [
      Create.self, Address.self, SignIn.self, Sign.self, LogIn.self, ChangePIN.self, Words.self, Recover.self,
      Import.self,
      Destroy.self,
      WalletDoctor.self, WalletDemo.self,
    ])
}
