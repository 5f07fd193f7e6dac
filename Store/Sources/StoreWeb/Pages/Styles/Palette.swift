/// The colours of the hosted pages in one theme, as `#rrggbb`.
///
/// The stylesheet is made from this value, and the contrast test reads the same value, so that they cannot differ.
package struct Palette: Sendable {
  package var background: String
  package var surface: String
  var raised: String
  package var ink: String
  package var muted: String
  package var line: String
  var field: String
  package var accent: String
  var onAccent: String
  var accentSoft: String
  var danger: String
  var dangerSoft: String
  var notice: String
  var noticeSoft: String

  package static let light = Palette(
    background: "#f6f5f1", surface: "#ffffff", raised: "#faf9f6", ink: "#18201d", muted: "#586460", line: "#e4e1d9",
    field: "#7f8a85", accent: "#0b6b58", onAccent: "#ffffff", accentSoft: "#e4f2ed", danger: "#b3261e",
    dangerSoft: "#fcedeb", notice: "#7a4d00", noticeSoft: "#fdf1d8")

  package static let dark = Palette(
    background: "#0e1312", surface: "#171e1c", raised: "#1e2624", ink: "#edf2f0", muted: "#a5b1ad", line: "#2c3633",
    field: "#7b8984", accent: "#62d6bb", onAccent: "#04231b", accentSoft: "#16322b", danger: "#ff9f95",
    dangerSoft: "#3a1c1a", notice: "#f3c56f", noticeSoft: "#372a10")

  /// The sandbox bank looks different from the store, as a real bank's page would.
  static let bankLight = Palette(
    background: "#eef2f9", surface: "#ffffff", raised: "#f5f8fd", ink: "#131c33", muted: "#525f7c", line: "#d5deee",
    field: "#7685a3", accent: "#1d4fb8", onAccent: "#ffffff", accentSoft: "#e3ecfd", danger: "#b3261e",
    dangerSoft: "#fcedeb", notice: "#7a4d00", noticeSoft: "#fdf1d8")

  static let bankDark = Palette(
    background: "#0b1020", surface: "#141b2f", raised: "#1a2340", ink: "#ecf0fb", muted: "#a8b3cf", line: "#2a3554",
    field: "#7887ab", accent: "#8db4ff", onAccent: "#07183c", accentSoft: "#182a52", danger: "#ff9f95",
    dangerSoft: "#3a1c1a", notice: "#f3c56f", noticeSoft: "#372a10")

  /// The custom properties that the rules use.
  var declarations: String {
    properties.map { "--\($0):\($1);" }.joined()
  }

  /// Every pair of colours that the rules put upon each other, with the ratio that WCAG 2.2 AA asks for:
  /// 4.5 for text, 3 for the outlines of controls and of the focus.
  var pairs: [(foreground: String, background: String, minimum: Double)] {
    let grounds = [background, surface, raised]
    return grounds.flatMap { [(ink, $0, 4.5), (muted, $0, 4.5), (accent, $0, 4.5), (danger, $0, 4.5)] }
      + grounds.map { (field, $0, 3) }
      + [
        (onAccent, accent, 4.5), (accent, accentSoft, 4.5), (ink, accentSoft, 4.5), (muted, accentSoft, 4.5),
        (danger, dangerSoft, 4.5), (ink, dangerSoft, 4.5), (notice, noticeSoft, 4.5), (ink, noticeSoft, 4.5),
      ]
  }

  private var properties: [(String, String)] {
    [
      ("background", background), ("surface", surface), ("raised", raised), ("ink", ink), ("muted", muted),
      ("line", line), ("field", field), ("accent", accent), ("on-accent", onAccent), ("accent-soft", accentSoft),
      ("danger", danger), ("danger-soft", dangerSoft), ("notice", notice), ("notice-soft", noticeSoft),
    ]
  }
}
