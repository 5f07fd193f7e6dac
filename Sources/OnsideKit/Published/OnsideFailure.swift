import OnsideAPI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a call failed for which the published error has no case: the network, the disk, the screen. An addition to the
/// published API.
///
/// The published errors of logins, payments and restores have cases for the user's decisions only, so their completions
/// answer `.loginDiscarded` or `.rejectedAfterLogin` for everything else, too. The async forms throw this instead, and
/// web pages get its ``code`` as the code of an `OnsideBridgeError`. Of a payment that failed later, the transaction
/// has it (``OnsidePaymentTransaction/failure``). Without a published error a call throws this:
///
/// ```swift
/// do {
///   try await queue.add(OnsidePayment(product: product))
/// } catch let failure as OnsideFailure where failure == .offline {
///   say("No connection. Try again later.")
/// }
/// ```
public struct OnsideFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The failure's name, for example `offline`.
  public let code: String

  /// Only for codes of the constants below, such as one that was kept on disk.
  init(_ code: String) { self.code = code }

  /// The store could not be reached. Try again when there is a connection.
  public static let offline = OnsideFailure("offline")
  /// The store cannot answer now (HTTP 5xx). Try again later.
  public static let serviceUnavailable = OnsideFailure("serviceUnavailable")
  /// The store does not sell the product to this account: not any more, not in its country, because the account has it
  /// already, or not with this offer (`offer_not_eligible`, `offer_signature_invalid`).
  public static let notAvailable = OnsideFailure("notAvailable")
  /// The page could not be shown: there is no window or browser.
  public static let presentationFailed = OnsideFailure("presentationFailed")
  /// The disk with the storage folder is full.
  public static let storageFull = OnsideFailure("storageFull")
  /// Another process uses the storage folder. The queue takes over when that process ends.
  public static let storageInUse = OnsideFailure("storageInUse")
  /// The storage folder cannot be read or written, for another reason than a full disk; check its permissions.
  public static let storageUnavailable = OnsideFailure("storageUnavailable")
  /// The store refused the call, or its answer could not be read. The log says more.
  public static let internalError = OnsideFailure("internalError")

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .offline: "expected an answer from the store, but it could not be reached; try again with a connection"
    case .serviceUnavailable: "expected an answer from the store, but it cannot answer now; try again later"
    case .notAvailable: "expected a product that the store sells to this account; load the products again"
    case .presentationFailed: "expected to show a page, but there is nowhere to show it"
    case .storageFull: "expected to write to the storage folder, but its disk is full; free some space"
    case .storageInUse: "expected the storage folder to be free, but another process uses it; close that one"
    case .storageUnavailable: "expected to write to the storage folder, but it cannot be used; check its permissions"
    default: "expected another answer from the store; the log says which one came"
    }
  }
}

extension OnsideFailure {
  /// The failure for an error of a write to the storage folder.
  init(disk error: any Error) {
    let code = (error as? FileSystemFailure)?.code
    self = code == ENOSPC || code == EDQUOT ? .storageFull : .storageUnavailable
  }

  /// The failure for an order that could not be made.
  init(order error: StoreError) {
    switch error {
    case .refused(.productNotAvailable), .refused(.invalidProductIdentifier), .refused(.quantityNotAvailable),
      .refused(.subscriptionActive),
      .refused(.offerNotEligible), .refused(.offerSignatureInvalid):
      self = .notAvailable
    default: self = OnsideFailure(error) ?? .internalError
    }
  }

  /// The failure for an error of the store; nil when the user or the app has cancelled the call.
  init?(_ error: StoreError) {
    switch error {
    case .cancelled: return nil
    case .connection, .notTheStore: self = .offline
    case .serviceUnavailable: self = .serviceUnavailable
    case .presentationFailed: self = .presentationFailed
    case .appNotRegistered, .notFound, .refused, .storefrontChanged, .notSignedIn, .internalError:
      self = .internalError
    }
  }
}
