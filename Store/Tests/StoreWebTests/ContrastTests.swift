import Foundation
import Testing

@testable import StoreWeb

@Suite("Colours", .timeLimit(.minutes(5)))
struct ContrastTests {
  @Test("SEC-4: every text and outline has the contrast of WCAG 2.2 AA, in light and dark")
  func contrast() throws {
    for palette in [Palette.light, .dark, .bankLight, .bankDark] {
      for pair in palette.pairs {
        let ratio = try Self.ratio(pair.foreground, pair.background)
        #expect(ratio >= pair.minimum, "\(pair.foreground) on \(pair.background): \(ratio)")
      }
    }
  }

  @Test("The measure itself is right")
  func measure() throws {
    let black = try Self.ratio("#000000", "#ffffff")
    #expect(abs(black - 21) < 0.01)
    let grey = try Self.ratio("#777777", "#ffffff")
    #expect(abs(grey - 4.48) < 0.01)
  }

  @Test("SEC-4: the stylesheet has no colour beside the palettes' and no addresses, shows the focus and limits motion")
  func stylesheet() {
    let rules = [StyleRules.base, StyleRules.layout, StyleRules.controls].joined()
    #expect(rules.matches(of: #/#[0-9a-fA-F]{3,8}\b/#).isEmpty)
    #expect(rules.contains("prefers-reduced-motion"))
    #expect(rules.contains(":focus-visible{outline:3px"))
    #expect(!StyleSheet.current.text.contains("@import"))
    #expect(!StyleSheet.current.text.contains("url("))
  }

  /// The contrast ratio of WCAG 2.2, section 1.4.3.
  private static func ratio(_ first: String, _ second: String) throws -> Double {
    let (a, b) = (try luminance(first), try luminance(second))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static func luminance(_ colour: String) throws -> Double {
    let value = try #require(UInt32(colour.dropFirst(), radix: 16))
    let channels = [value >> 16 & 0xff, value >> 8 & 0xff, value & 0xff].map { channel -> Double in
      let part = Double(channel) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
}
