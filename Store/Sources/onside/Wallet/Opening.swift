import Foundation
import OnsideStore
import OnsideWallet
import StoreAccounts

extension AuthService {
  /// Runs what a PIN opens. A wrong PIN says how many tries remain; what the vault could not be told stands beside the
  /// result, on standard error.
  func opening<Result>(_ body: (AuthService) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(self)
      if let failure = storage.enrolmentFailure {
        say(
          """
          Warning: the vault could not be told that the PIN was right (\(failure)). Nothing is lost yet: sign in again \
          while the vault can be reached, within a day, and have the words at hand.
          """)
      }
      return result
    } catch SecureStorageError.invalidPin {
      guard let tries = storage.triesAfterWrongPIN else { throw SecureStorageError.invalidPin }
      let left = WalletText.tries(tries.remaining, secondsToWait: tries.secondsToWait)
      throw CommandFailure("\(SecureStorageError.invalidPin): \(left)")
    }
  }

  private func say(_ line: String) { try? LineOutput.standardError.write(line + "\n") }
}

extension WalletText {
  /// How many wrong PINs there may be.
  static func tries(_ remaining: Int, secondsToWait: Int) -> String {
    let wait = secondsToWait > 0 ? ", the next in \(secondsToWait) s" : ""
    switch remaining {
    case 0 where secondsToWait > 0: return "the next try in \(secondsToWait) s"
    case 0: return "no try remains, the vault has destroyed its half of the key; recover with the words"
    case 1: return "1 try remains\(wait)"
    default: return "\(remaining) tries remain\(wait)"
    }
  }
}
