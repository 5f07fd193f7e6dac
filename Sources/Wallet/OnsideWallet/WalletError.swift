/// An error of a wallet other than a wrong PIN or a missing wallet (``SecureStorageError``). No kind stands for
/// another: a damaged file is never a wrong PIN (WAL-4).
public struct WalletError: Error, Sendable, Hashable {
  /// Which of them it is.
  public struct Kind: Sendable, Hashable {
    /// A name for logs and programs.
    public let name: String
  }

  /// Which of them it is.
  public let kind: Kind
  /// What was expected, what came, and what to do.
  public let explanation: String
  /// For ``Kind/wait``: how many seconds, by the clock of the vault or chip that counts the tries.
  public let secondsToWait: Int?

  init(_ kind: Kind, explanation: String, secondsToWait: Int? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.secondsToWait = secondsToWait
  }
}

extension WalletError.Kind {
  /// Sign up found a wallet; it stays as it is.
  public static let alreadySignedUp = Self(name: "alreadySignedUp")
  /// The stored item is not what was written. The words bring the key back.
  public static let damaged = Self(name: "damaged")
  /// The item is whole, but its device secret is not on this device: a copy from elsewhere, or an old one put back.
  public static let deviceSecretMissing = Self(name: "deviceSecretMissing")
  /// The device secret is where it should be, but was sealed by another TPM, or this one was cleared since.
  public static let otherDevice = Self(name: "otherDevice")
  /// The store of the device secret is locked: nothing is lost, and nothing was tried.
  public static let deviceSecretLocked = Self(name: "deviceSecretLocked")
  /// The store of the device secret cannot be reached: nothing is lost, and nothing was tried.
  public static let deviceSecretUnreachable = Self(name: "deviceSecretUnreachable")
  /// The wallet is of another network than this storage is for.
  public static let wrongNetwork = Self(name: "wrongNetwork")
  /// Too many wrong PINs: the other half of the key is destroyed. The words bring the key back.
  public static let triesExhausted = Self(name: "triesExhausted")
  /// A try is allowed only later; this one was not made.
  public static let wait = Self(name: "wait")
  /// The vault could not be reached; whether a try was counted is not known.
  public static let vaultUnreachable = Self(name: "vaultUnreachable")
  /// The vault answered with what it must not: a proof for another key, or no proper message.
  public static let vaultFault = Self(name: "vaultFault")
  /// The item's PIN was changed, and the item is from before.
  public static let outdated = Self(name: "outdated")
  /// The vault does not know this wallet.
  public static let vaultUnknown = Self(name: "vaultUnknown")
  /// The wallet counts on a vault, and none is configured.
  public static let vaultMissing = Self(name: "vaultMissing")
  /// The PIN is among those that are guessed first.
  public static let commonPIN = Self(name: "commonPIN")
  /// The wallet was made from a key, not from words.
  public static let noWords = Self(name: "noWords")
  /// Another process holds the wallet for longer than it should.
  public static let busy = Self(name: "busy")
  /// The disk, or the store of the device secret, failed.
  public static let storage = Self(name: "storage")
  /// The machine does not have the memory that the key derivation needs.
  public static let notEnoughMemory = Self(name: "notEnoughMemory")
}

extension WalletError: CustomStringConvertible {
  /// The explanation.
  public var description: String { explanation }
}

/// The errors with their explanations, also for other implementations of storages and vaults.
extension WalletError {
  /// ``Kind/alreadySignedUp``.
  public static let alreadySignedUp = WalletError(
    .alreadySignedUp, explanation: "expected no wallet, found one: sign in, or destroy it first")
  /// ``Kind/damaged``.
  public static func damaged(_ what: String) -> WalletError {
    WalletError(
      .damaged, explanation: "expected the wallet's item as it was written, got \(what): recover with the words")
  }
  /// ``Kind/deviceSecretMissing``.
  public static let deviceSecretMissing = WalletError(
    .deviceSecretMissing,
    explanation:
      "expected this device's secret for the wallet's item, found none: the item is an old copy or another device's; "
      + "recover with the words")
  /// ``Kind/otherDevice``.
  public static let otherDevice = WalletError(
    .otherDevice,
    explanation:
      "expected the TPM that sealed this device's secret, found another, or one that was cleared since: recover with "
      + "the words")
  /// ``Kind/deviceSecretLocked``.
  public static func deviceSecretLocked(_ keeper: String) -> WalletError {
    WalletError(
      .deviceSecretLocked,
      explanation: "expected the device's secret from \(keeper), which is locked: unlock it, and try again")
  }
  /// ``Kind/deviceSecretUnreachable``.
  public static func deviceSecretUnreachable(_ keeper: String, _ why: String) -> WalletError {
    WalletError(
      .deviceSecretUnreachable,
      explanation:
        "expected \(keeper) to keep the device's secret, but \(why): see to that, and try again; nothing is lost")
  }
  /// ``Kind/outdated``.
  public static let outdated = WalletError(
    .outdated,
    explanation:
      "another PIN took this one's place, and the item is an old copy: put the newer one back, or recover with "
      + "the words")
  /// ``Kind/triesExhausted``.
  public static let triesExhausted = WalletError(
    .triesExhausted,
    explanation: "the vault has destroyed its half of the key, after too many wrong PINs or because it was asked to: "
      + "recover with the words")
  /// ``Kind/wait``.
  public static func wait(_ seconds: Int) -> WalletError {
    WalletError(.wait, explanation: "too many wrong PINs: try again in \(seconds) s", secondsToWait: seconds)
  }
  /// ``Kind/vaultUnreachable``.
  public static func vaultUnreachable(_ why: String) -> WalletError {
    WalletError(
      .vaultUnreachable,
      explanation: "expected an answer of the vault, got none (\(why)): look at the network, and try again")
  }
  /// ``Kind/vaultFault``.
  public static func vaultFault(_ what: String) -> WalletError {
    WalletError(.vaultFault, explanation: "expected a proper answer of the vault, got \(what): ask who runs it")
  }
  /// ``Kind/vaultUnknown``.
  public static let vaultUnknown = WalletError(
    .vaultUnknown,
    explanation: "the vault does not know this wallet: look at the vault's address, or recover with the words")
  /// ``Kind/vaultMissing``.
  public static let vaultMissing = WalletError(
    .vaultMissing, explanation: "the wallet's key lies half with a vault, and none was named: name the vault")
  /// ``Kind/storage``.
  public static func storage(_ what: String) -> WalletError { WalletError(.storage, explanation: what) }
}

extension WalletError {
  static let wrongNetwork = WalletError(
    .wrongNetwork, explanation: "expected a wallet of this network, found another's: open it with its own network")
  /// ``Kind/commonPIN``.
  public static let commonPIN = WalletError(
    .commonPIN,
    explanation: "expected a PIN that is not among those that are guessed first (dates, runs, repetitions, common "
      + "passwords, fewer than six characters): take a random one")
  package static let sameAsImported = WalletError(
    .commonPIN,
    explanation:
      "expected another PIN than the old item's, which any old backup tells within minutes: take a random one"
  )
  static let noWords = WalletError(
    .noWords, explanation: "the wallet was made from a key, not from words: keep the key itself")
}
