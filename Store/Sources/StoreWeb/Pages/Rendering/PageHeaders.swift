import Foundation
package import HTTPTypes

extension HTTPFields {
  /// The headers of every page: nothing runs, nothing is framed, nothing is kept, nothing is told to the next site. A
  /// page of a payment provider may be allowed more.
  package mutating func secure(targets: [String], sources: PageSources = PageSources(), isSecure: Bool) {
    self[.contentSecurityPolicy] = Self.policy(targets: targets, sources: sources)
    self[.xFrameOptions] = "DENY"
    self[.referrerPolicy] = "no-referrer"
    self[.cacheControl] = "no-store"
    self[.crossOriginOpenerPolicy] = "same-origin"
    self[.crossOriginResourcePolicy] = "same-origin"
    self[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=()"
    if isSecure { self[.strictTransportSecurity] = "max-age=31536000" }
  }

  private static func policy(targets: [String], sources: PageSources) -> String {
    let forms = targets.compactMap(formSource) + sources.forms
    let styles = sources.inlineStyles ? ["'unsafe-inline'"] : []
    var rules: [(String, [String])] = [("default-src", ["'none'"]), ("style-src", ["'self'"] + styles)]
    if sources.hasScripts { rules.append(("script-src", ["'self'"] + sources.scripts)) }
    if !sources.frames.isEmpty { rules.append(("frame-src", sources.frames)) }
    if !sources.connections.isEmpty { rules.append(("connect-src", sources.connections)) }
    rules += [
      ("img-src", ["'self'", "data:"] + sources.images), ("form-action", ["'self'"] + forms),
      ("frame-ancestors", ["'none'"]), ("base-uri", ["'none'"]),
    ]
    return rules.map { "\($0) \($1.joined(separator: " "))" }.joined(separator: "; ")
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
  package static let secFetchSite = Self("Sec-Fetch-Site")!
}
