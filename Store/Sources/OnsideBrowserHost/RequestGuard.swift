import HTTPTypes
import OnsideKit

/// Checks host, token and origin of requests. The host listens on 127.0.0.1 only, but every page in every browser of
/// this machine can reach that.
struct RequestGuard: Sendable {
  /// The origin of the page whose requests are accepted.
  let page: WebOrigin
  /// The host's own port.
  let port: Int
  let token: String

  /// The status and the reason of a refused request.
  struct Refusal: Error, Hashable {
    var status: HTTPResponse.Status
    /// The expected and the received value, without a secret.
    var reason: String
  }

  /// Refuses other host names: with DNS rebinding, the host name of a foreign page resolves to this machine.
  func checkHost(_ host: String?) throws(Refusal) {
    guard let host, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host.lowercased()) else {
      throw Refusal(
        status: .misdirectedRequest, reason: "expected the host 127.0.0.1:\(port), got \(host.map(quoted) ?? "none")")
    }
  }

  func checkToken(_ given: String?) throws(Refusal) {
    guard let given else { throw Refusal(status: .forbidden, reason: "expected a token, got none") }
    guard isEqual(given, token) else {
      throw Refusal(
        status: .forbidden,
        reason: "expected the token of this run, got another; take the script tag that onside dev printed")
    }
  }

  /// Refuses other origins. Browsers name the origin of a request in `Origin`, except in a GET to the page's own
  /// origin, which has `Sec-Fetch-Site: same-origin` instead.
  func checkOrigin(_ origin: String?, site: String?, isOwnPage: Bool) throws(Refusal) {
    if origin == nil, isOwnPage, site == "same-origin" { return }
    guard let origin else { throw Refusal(status: .forbidden, reason: "expected a page of \(page), got no origin") }
    guard WebOrigin(origin) == page else {
      throw Refusal(status: .forbidden, reason: "expected a page of \(page), got one of \(quoted(origin))")
    }
  }

  private func quoted(_ text: String) -> String {
    "“" + String(text.unicodeScalars.filter { $0.value > 31 && $0.value != 127 }.prefix(80).map(Character.init)) + "”"
  }

  /// Constant-time comparison: the time does not depend on the number of equal bytes.
  private func isEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
