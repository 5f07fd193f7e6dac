public import Foundation
import StoreBase

/// The codes of an offer that were made together: one-time codes, or one code with a name that many people enter.
public struct OfferCodeBatch: Sendable, Hashable {
  /// Names the batch; for a custom code the code itself.
  public let id: String
  /// The app whose subscription it is.
  public let appID: String
  /// The subscription.
  public let productID: String
  /// The offer of it.
  public let offerID: String
  /// True for one code that many people enter.
  public let isCustom: Bool
  /// When it was made.
  public let createdAt: Date
  /// From when on no code of it is taken; nil without an end.
  public let expiresAt: Date?
  /// When the operator ended it.
  public let disabledAt: Date?

  /// Whether its codes are taken at a time.
  func isOpen(at now: Date) -> Bool { disabledAt == nil && (expiresAt.map { now < $0 } ?? true) }
}

/// One code with how often it may be used.
public struct OfferCode: Sendable, Hashable {
  /// Capital letters and digits, as it is stored.
  public let text: String
  /// The batch that it was made with.
  public let batchID: String
  /// How many accounts may use it.
  public let limit: Int64
  /// How many have used it, or hold it for an order that waits for its payment.
  public let uses: Int64

  /// The code in groups of four, as people read it; a custom code as it is.
  public var readable: String {
    guard text.count == Self.length else { return text }
    let characters = Array(text)
    return stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<min($0 + 4, characters.count)]) }
      .joined(separator: "-")
  }

  /// How many characters a one-time code has: almost 59 bits.
  static let length = 12
  /// Without letters and digits that look like others.
  static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A new one-time code.
  static func random(_ random: any RandomSource) -> String {
    var code = ""
    // Each character is as likely as any other: bytes that would make some likelier are left out.
    let bound = 256 - 256 % alphabet.count
    while code.count < length {
      for byte in random.bytes(16) where Int(byte) < bound && code.count < length {
        code.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return code
  }

  /// What a person typed, as codes are stored: without spaces and dashes, in capital letters. Nil for what no code is.
  static func normalized(_ typed: String) -> String? {
    guard typed.utf8.count <= 128 else { return nil }
    let text = typed.uppercased().filter { !$0.isWhitespace && $0 != "-" }
    let isCode =
      (4...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
    return isCode ? text : nil
  }
}

/// Why a code is not taken.
enum OfferCodeRefusal: Error, Sendable, Hashable {
  /// There is no such code.
  case unknown
  /// Its time is over, or the operator has ended it.
  case over
  /// It was used as often as it may be.
  case usedUp
  /// The account has used it, or another one of its batch.
  case used
  /// The offer is not for accounts like this one.
  case notEligible
  /// It is not sold in the account's region.
  case notSold
  /// It is for this app, and another one has opened the page.
  case otherApp(String)
  /// The account, or its network, has tried too many codes that do not exist.
  case wait(seconds: Int)
}
