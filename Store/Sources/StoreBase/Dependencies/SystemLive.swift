public import Foundation
import Synchronization

/// The machine's clock.
public struct SystemClock: StoreClock {
  private let start = ContinuousClock.now

  /// The machine's clock.
  public init() {}
  /// The present moment.
  public func now() -> Date { Date() }
  /// Time since this clock was made.
  public func uptime() -> Duration { start.duration(to: .now) }
  /// Waits on the machine's continuous clock.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// The machine's source of unpredictable bytes.
public final class SystemRandom: RandomSource {
  private let identifiers = Mutex(UUID7Generator())

  /// The machine's source of unpredictable bytes.
  public init() {}

  /// Unpredictable bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
    }
    return bytes
  }

  /// A UUID of version 7, greater than every earlier one of this source.
  public func uuid7(at date: Date) -> UUID {
    identifiers.withLock { $0.next(at: date, random: bytes(10)) }
  }
}
