import OnsideStore

/// Whether people could log in with each OpenID provider now. Nobody's login is tried.
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
            remedy: "Until then nobody logs in with it; docs/operating.md, \"Logins elsewhere\", says what it needs."))
      }
    }
    return findings
  }
}
