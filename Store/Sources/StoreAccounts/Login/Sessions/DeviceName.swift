/// What a person would call the device of a browser, such as `Firefox, Linux`: kept with a session, so that its owner
/// knows it again.
enum DeviceName {
  /// The name that a `User-Agent` gives away; nil when it is not a browser's.
  static func of(_ userAgent: String?) -> String? {
    let text = (userAgent ?? "").prefix(512)
    // The order matters: most browsers name the ones that they want to be taken for, too.
    let signs = [
      ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
      ("FxiOS/", "Firefox"), ("Epiphany/", "Web"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"), ("Safari/", "Safari"),
    ]
    let browser = signs.first { text.contains($0.0) }?.1
    let system = system(DeviceClass(userAgent: String(text)))
    let parts = [browser, system].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func system(_ device: DeviceClass) -> String? {
    switch device {
    case .linux: "Linux"
    case .macos: "macOS"
    case .ios: "iOS"
    case .android: "Android"
    case .windows: "Windows"
    case .other: nil
    }
  }
}
