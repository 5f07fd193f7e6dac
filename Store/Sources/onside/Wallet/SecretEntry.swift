import ArgumentParser
import Foundation
import OnsideWallet

/// Where PINs come from: the terminal, without echo, or a file descriptor, a line for each.
struct SecretEntry: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read each PIN as a line of this file descriptor instead of the terminal.", valueName: "number"))
  var pinFd: Int32?

  /// Whether a person answers.
  var isTyped: Bool { pinFd == nil }

  /// The PIN of a wallet. An empty line is a slip, and is never tried.
  func pin(_ prompt: String) throws -> PIN {
    let line = try line(prompt)
    if line.withBytes({ $0.isEmpty }) { throw CommandFailure("expected a PIN, got an empty line; nothing was tried") }
    return PIN(line)
  }

  /// A new PIN: a random one that is shown, or one that is typed twice. One that is guessed first is refused at once.
  func newPIN() throws -> PIN {
    let pin = try isTyped ? typedNewPIN() : pin("")
    if pin.isCommon { throw WalletError.commonPIN }
    return pin
  }

  private func typedNewPIN() throws -> PIN {
    let offered = PIN.random()
    try Terminal.show("A random PIN is the best one. Yours would be ")
    try offered.withUTF8 { try Terminal.show($0) }
    try Terminal.show(".\n")
    let chosen = try line("Press Return to take it, or type another: ")
    if chosen.withBytes({ $0.isEmpty }) { return offered }
    guard chosen.isEqual(to: try line("The same again: ")) else {
      throw CommandFailure("expected the same PIN twice, got two; nothing was done")
    }
    return PIN(chosen)
  }

  private func line(_ prompt: String) throws -> SecretLine {
    if let pinFd { return try SecretLine(readingFrom: pinFd) }
    return try Terminal.secretLine(prompt)
  }
}
