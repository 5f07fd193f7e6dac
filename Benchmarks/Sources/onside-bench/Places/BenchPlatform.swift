import Foundation

/// The clock and the randomness of a measurement.
enum Platform {
  static func now() -> Date { Date() }

  static func wait(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

  static func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max) }
  }
}
