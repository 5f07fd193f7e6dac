import Foundation
import HTTPTypes

extension HTTPFields {
  /// The headers of every page: nothing runs, nothing is framed, nothing is kept, nothing is told to the next site.
  mutating func secure(targets: [String], isSecure: Bool) {
    let forms = (["'self'"] + targets.compactMap(Self.formSource)).joined(separator: " ")
    self[.contentSecurityPolicy] =
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action \(forms); frame-ancestors 'none'; "
      + "base-uri 'none'"
    self[.xFrameOptions] = "DENY"
    self[.referrerPolicy] = "no-referrer"
    self[.cacheControl] = "no-store"
    self[.crossOriginOpenerPolicy] = "same-origin"
    self[.crossOriginResourcePolicy] = "same-origin"
    self[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=()"
    if isSecure { self[.strictTransportSecurity] = "max-age=31536000" }
  }

  /// The source expression of an address: browsers apply `form-action` to the redirects after a form, too.
  private static func formSource(_ address: String) -> String? {
    guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased() else { return nil }
    guard scheme == "http" || scheme == "https" else { return "\(scheme):" }
    // A source expression has no form for IPv6 addresses (CSP level 3, section 2.3.1).
    guard let host = parts.host, !host.contains(":") else { return "\(scheme):" }
    return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
  }
}

extension HTTPField.Name {
  static let xFrameOptions = Self("X-Frame-Options")!
  static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
  static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
  static let permissionsPolicy = Self("Permissions-Policy")!
  static let secFetchSite = Self("Sec-Fetch-Site")!
}
