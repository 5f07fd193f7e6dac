enum JSTheme: String, Decodable {
  case light, dark, system

  var mode: OnsideUIThemeMode {
    switch self {
    case .light: .light
    case .dark: .dark
    case .system: .auto
    }
  }
}
