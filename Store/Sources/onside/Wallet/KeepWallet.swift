import ArgumentParser
import Foundation
import OnsideWallet
import Stellar

extension WalletCommand {
  struct Words: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the words, or the secret S… of a wallet that was made from a key.")

    @OptionGroup var options: WalletOptions
    @OptionGroup var entry: SecretEntry

    func run() async throws {
      let service = try options.service()
      let pin = try entry.pin("PIN: ")
      try await service.opening { service in
        do {
          try service.words(pin: pin).withWords { try Terminal.write($0, to: STDOUT_FILENO) }
        } catch let error as WalletError where error.kind == .noWords {
          try await service.withSigningKey(pin: pin) { try $0.withSecret { try Terminal.write($0, to: STDOUT_FILENO) } }
        }
      }
      print()
    }
  }

  struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the wallet anew from its words, under a new PIN.",
      discussion: "With --pin-fd the first line is the words, the second the new PIN.")

    @OptionGroup var options: WalletOptions
    @OptionGroup var new: NewWalletOptions
    @OptionGroup var entry: SecretEntry

    func run() async throws {
      let profile = try new.profile()
      let line =
        if let pinFd = entry.pinFd { try SecretLine(readingFrom: pinFd) } else { try Terminal.line("The words: ") }
      let words = try line.withBytes { bytes throws(MnemonicError) in try Mnemonic(bytes) }
      let service = try options.newService(profile)
      let address = try await service.recover(words: words, pin: try entry.newPIN())
      print(address)
      print(try WalletText.protection(of: service, profile))
    }
  }

  struct Destroy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Destroys the wallet here and the vault's half of its key. Only the words bring the key back.")

    @OptionGroup var options: WalletOptions
    @Flag(help: "Do not ask.") var yes = false

    func run() async throws {
      let service = try options.service()
      let secrets = try options.deviceSecrets(try WalletProfile.read(in: options.folder))
      guard try service.userIsSignedUp else {
        // Removes the files of a sign-up that was killed, and nothing else, since an item may be put back.
        try await service.destroy()
        throw SecureStorageError.userNotFound
      }
      if !yes {
        let answer = try Terminal.line("Type destroy if the words are written down, or the key is worth nothing: ")
        guard answer.withBytes({ $0.elementsEqual("destroy".utf8) }) else { return print("Nothing was done.") }
      }
      try await service.destroy()
      try secrets.removeAll()
      print("The wallet is destroyed.")
    }
  }

  struct WalletDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "doctor", abstract: "Looks at the wallet without its PIN, and says what to do about what is wrong.",
      discussion: "Exit status: 0 for a wallet that opens, 3 when the vault has destroyed its half of the key, else 1."
    )

    @OptionGroup var options: WalletOptions

    func run() async throws {
      let service = try options.service()
      let status: WalletStatus
      do {
        status = try service.storage.status()
      } catch {
        Finding.bad("wallet", "\(error)", remedy: "The words bring the key back: onside wallet recover.").show()
        throw ExitCode.failure
      }
      guard status.isDestroyed else { return show(status) }
      Finding.good("wallet", "\(status.address), PIN number \(status.epoch)").show()
      Finding.bad(
        "vault", "its half of the key is destroyed (too many wrong PINs, or it was asked to): no PIN opens this wallet",
        remedy: "The words bring the key back: onside wallet recover."
      ).show()
      throw Self.destroyed
    }

    /// The exit status of a wallet that no PIN opens any more.
    private static let destroyed = ExitCode(3)

    private func show(_ status: WalletStatus) {
      Finding.good("wallet", "\(status.address), PIN number \(status.epoch)").show()
      let (memory, passes) = status.argon2id
      Finding.good("Argon2id", "\(memory) MiB, \(passes) passes").show()
      Finding.good("device secret", status.deviceSecret).show()
      if let tries = status.tries {
        let wait = tries.secondsToWait > 0 ? ", the next in \(tries.secondsToWait) s" : ""
        Finding.good(status.lockout == nil ? "vault" : "TPM", "\(tries.remaining) tries left\(wait)").show()
      }
      if status.limit == .attemptsNotLimited {
        Finding.bad("limit", WalletText.limit(status), remedy: "Recover with --vault, or take a passphrase.")
          .show()
      } else {
        Finding.good("limit", WalletText.limit(status)).show()
      }
      if status.lockout?.isClearable == true {
        Finding.bad(
          "lockout", "root on this device can clear the TPM's lock",
          remedy: "Set a password for it: tpm2_changeauth -c lockout, as root."
        ).show()
      }
    }
  }
}
