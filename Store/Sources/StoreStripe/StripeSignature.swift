import Crypto
import Foundation
import OnsideAPI

/// A secret of a webhook endpoint: `whsec_…`. Printing it shows nothing.
struct StripeWebhookSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let value: String

  /// A secret; nil for a text that is none.
  init?(_ text: String) {
    guard text.hasPrefix("whsec_"), (7...255).contains(text.utf8.count) else { return nil }
    value = text
  }

  /// Nothing of the secret.
  var description: String { "redacted" }
  /// Nothing of the secret.
  var debugDescription: String { description }
  /// Nothing of the secret.
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// The signature of a webhook call: `Stripe-Signature: t=…,v1=…`.
///
/// The key is the whole secret with its prefix; what is signed is the time, a point, and the body as it came.
struct StripeSignature: Sendable {
  /// Why a call is not taken.
  enum Fault: String, Error {
    case missing, malformed
    /// No signature of the version that is checked here.
    case noSignature = "no_signature"
    /// Signed longer ago than the tolerance: perhaps a recorded call.
    case tooOld = "too_old"
    /// Signed in the future.
    case tooNew = "too_new"
    /// Signed with another secret, or the body was changed.
    case wrong
  }

  /// How far the time of a signature may be from now, both ways, in seconds.
  static let tolerance: Int64 = 300
  /// The most signatures that are tried: Stripe sends one for each secret, of which there are two while one is rolled.
  private static let limit = 8

  private let time: String
  private let codes: [[UInt8]]

  /// Reads a header.
  init(_ header: String?) throws(Fault) {
    guard let header, !header.isEmpty else { throw .missing }
    guard header.utf8.count <= 4096 else { throw .malformed }
    var times: [Substring] = []
    var codes: [[UInt8]] = []
    for item in header.split(separator: ",") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw .malformed }
      switch pair[0] {
      case "t": times.append(pair[1])
      // A signature of another form is one that does not match.
      case "v1": if let code = Hexadecimal.decode(String(pair[1])), code.count == 32 { codes.append(code) }
      default: break
      }
    }
    guard times.count == 1, (1...15).contains(times[0].utf8.count), times[0].utf8.allSatisfy(Self.isDigit) else {
      throw .malformed
    }
    guard !codes.isEmpty else { throw .noSignature }
    time = String(times[0])
    self.codes = Array(codes.prefix(Self.limit))
  }

  /// Checks a body.
  ///
  /// - Parameter secrets: the endpoint's; two while one is rolled.
  func verify(_ body: [UInt8], secrets: [StripeWebhookSecret], now: Date) throws(Fault) {
    let signed = Data("\(time).".utf8) + body
    var isGenuine = false
    for secret in secrets {
      let key = SymmetricKey(data: Data(secret.value.utf8))
      for code in codes where HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key) {
        isGenuine = true
      }
    }
    guard isGenuine else { throw .wrong }
    // The time is believed only now that it is known to be Stripe's.
    guard let seconds = Int64(time) else { throw .malformed }
    let now = Int64(now.timeIntervalSince1970.rounded(.down))
    if seconds < now - Self.tolerance { throw .tooOld }
    if seconds > now + Self.tolerance { throw .tooNew }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
