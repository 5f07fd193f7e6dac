import Foundation
import HTTPTypes
import Hummingbird
package import OnsideCommerce

extension Request {
  /// The caller's network address; empty where there is none. Behind proxies it is an entry of `X-Forwarded-For`.
  package func clientAddress(_ context: StoreRequestContext, proxies: Proxies) -> String {
    guard proxies.areInFront, let forwarded = headers[.forwardedFor] else { return context.clientAddress ?? "" }
    let entries = forwarded.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return proxies.client(in: entries) ?? ""
  }

  /// The country of the caller's network, as the operator's proxy says it in a header field; nil where it does not, or
  /// says anything but one country of ISO 3166-1 in two letters.
  package func networkCountry(in header: String?) -> CountryCode? {
    header.flatMap { HTTPField.Name($0) }.flatMap { headers[$0] }.flatMap { CountryCode(hint: $0) }
  }
}
