import Foundation
import HTTPTypes
import Hummingbird
import StoreBase

/// The visitor's anonymous name in the cookie `onside_token`, as documented (contract, section 4.5): JSON with a UUID
/// and the milliseconds at which it was made, percent-encoded. It holds no personal data and gives no rights.
struct VisitorCookie: Sendable, Hashable, Codable {
  static let name = "onside_token"
  /// Six months from the last visit, in seconds.
  static let lifetime = 182 * 86_400

  let token: UUID
  let createdAt: Int64

  init(token: UUID, createdAt: Int64) {
    self.token = token
    self.createdAt = createdAt
  }

  /// The cookie of a request; nil for none, and for anything that this store cannot have written.
  init?(_ request: Request, now: Date) {
    let values = request.headers[values: .cookie].lazy.flatMap { $0.split(separator: ";") }.compactMap { pair in
      let pair = pair.drop { $0 == " " }
      return pair.hasPrefix(Self.name + "=") ? pair.dropFirst(Self.name.count + 1) : nil
    }
    for value in values where value.utf8.count <= 256 {
      guard let json = value.removingPercentEncoding,
        let cookie = try? JSONDecoder().decode(VisitorCookie.self, from: Data(json.utf8)),
        cookie.createdAt > 0, cookie.createdAt <= now.millisecondsSince1970 + 86_400_000
      else { continue }
      self = cookie
      return
    }
    return nil
  }

  /// The `Set-Cookie` field, which begins the six months anew.
  func field(isSecure: Bool) -> HTTPField {
    let json = #"{"token":"\#(token.lowercase)","createdAt":\#(createdAt)}"#
    let flags = "Path=/; Max-Age=\(Self.lifetime); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    return HTTPField(name: .setCookie, value: "\(Self.name)=\(json.percentEncoded); \(flags)")
  }
}
