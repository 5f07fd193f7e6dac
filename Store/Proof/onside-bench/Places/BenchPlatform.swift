import CoreFoundation
import Foundation

/// The clock and the randomness of a measurement.
enum Platform {
  static func now() -> Date { Date() }

  static func wait(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

  /// Processor time that this thread has used.
  static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  static func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max) }
  }
}
