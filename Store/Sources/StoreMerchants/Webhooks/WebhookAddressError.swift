/// The reason for which an address of an endpoint is rejected.
package enum WebhookAddressError: Error, Hashable, CustomStringConvertible {
  case form, userInfo, fragment, port, host
  /// Plain `http` to the public internet.
  case insecure
  /// An IP address to which no webhooks may be sent.
  case notPermitted

  package var description: String {
    switch self {
    case .form: "Expected an address such as https://shop.example/webhooks."
    case .userInfo: "Expected an address without a user and a password."
    case .fragment: "Expected an address without a fragment (#)."
    case .port: "Expected a port from 1 to 65535."
    case .host: "Expected a host name in ASCII or an IP address."
    case .insecure: "Expected https; http is for sandboxes, and for private addresses with --allow-private."
    case .notPermitted: "Expected a public IP address; private ones need --allow-private, http to others a sandbox."
    }
  }
}
