/// The kind of system that a browser or an app runs on: all that is compared of them.
package enum DeviceClass: String, Sendable, CaseIterable {
  case linux, macos, ios, android, windows, other

  /// As an app names it.
  package init(platform: String) { self = DeviceClass(rawValue: platform) ?? .other }

  /// As a browser's `User-Agent` tells it. The order matters: Android names Linux, too, and an iPhone the Mac.
  package init(userAgent: String?) {
    let text = (userAgent ?? "").prefix(512).lowercased()
    let signs: [(String, DeviceClass)] = [
      ("android", .android), ("iphone", .ios), ("ipad", .ios), ("ipod", .ios), ("windows", .windows),
      ("mac os x", .macos), ("macintosh", .macos), ("linux", .linux), ("x11", .linux),
    ]
    self = signs.first { text.contains($0.0) }?.1 ?? .other
  }
}
