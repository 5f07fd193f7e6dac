import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// Web views need a display, if only a virtual one.
  static var needsDisplay: Self {
    let environment = ProcessInfo.processInfo.environment
    return .enabled(
      if: environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
      "there is no display; run the tests with: xvfb-run -a swift test")
  }
}
