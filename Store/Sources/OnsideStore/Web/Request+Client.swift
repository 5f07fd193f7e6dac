import HTTPTypes
import Hummingbird
import OnsideCommerce

extension Request {
  /// The caller's network address; empty where there is none. Behind a proxy it is the last entry of
  /// `X-Forwarded-For`, the one that our own proxy has added.
  func clientAddress(_ context: StoreRequestContext, isBehindProxy: Bool) -> String {
    if isBehindProxy, let forwarded = headers[.forwardedFor] {
      return forwarded.split(separator: ",").last.map { String($0.trimmingPrefix(while: \.isWhitespace)) } ?? ""
    }
    return context.clientAddress ?? ""
  }

  /// The country of the caller's network, as the operator's proxy says it in a header field; nil where it does not, or
  /// says anything but one country of ISO 3166-1 in two letters.
  func networkCountry(in header: String?) -> CountryCode? {
    header.flatMap { HTTPField.Name($0) }.flatMap { headers[$0] }.flatMap { CountryCode(hint: $0) }
  }
}
