/// The user's languages and region as POSIX systems tell them: in the environment. Foundation does not look there on
/// Linux.
package struct POSIXLocale {
  /// The environment.
  package var environment: [String: String]

  package init(environment: [String: String]) { self.environment = environment }

  /// BCP 47 tags, best first: `LANGUAGE` as GNU gettext has it, then `LC_ALL`, `LC_MESSAGES` or `LANG`.
  package var languages: [String] {
    let preferred = environment["LANGUAGE"]?.split(separator: ":").map(String.init) ?? []
    var seen: Set<String> = []
    return (preferred + [value(of: "LC_MESSAGES")]).compactMap(Self.tag).filter { seen.insert($0).inserted }
  }

  /// ISO 3166-1 alpha-2, from `LC_ALL`, `LC_MONETARY` or `LANG`.
  var region: String? {
    let parts = Self.tag(value(of: "LC_MONETARY"))?.split(separator: "-") ?? []
    return parts.dropFirst().first { $0.count == 2 }.map(String.init)
  }

  private func value(of category: String) -> String {
    ["LC_ALL", category, "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
  }

  /// `nl-NL` of `nl_NL.UTF-8@euro`; nil of `C`, `POSIX` and anything that is no language.
  private static func tag(_ locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }.split(separator: "_")
    guard let language = name.first, (2...3).contains(language.count), language.allSatisfy(\.isLetter) else {
      return nil
    }
    return name.joined(separator: "-")
  }
}
