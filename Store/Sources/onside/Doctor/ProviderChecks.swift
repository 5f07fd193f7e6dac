import OnsideStore
import StoreAccounts
import StoreBase

/// Doctor's checks of the OpenID providers: whether users could log in with each of them now. No login is tried.
struct ProviderChecks {
  let configuration: ServeConfiguration

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    for provider in configuration.store.providers {
      let subject = "openid.\(provider.id)"
      do {
        try await provider.check(clock: SystemClock())
        findings.append(.good(subject, provider.issuer ?? ""))
      } catch {
        findings.append(
          .bad(
            subject, "\(error)",
            remedy: "Until then no user logs in with it; docs/operating.md, \"Logins elsewhere\", says what it needs."))
      }
    }
    return findings
  }
}
