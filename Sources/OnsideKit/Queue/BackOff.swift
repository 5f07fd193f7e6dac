/// How long to wait after a failure: longer each time, and never the same for all devices at once.
enum BackOff {
  /// Seconds to wait.
  /// - Parameters:
  ///   - attempt: how many tries have failed, from 1.
  ///   - pause: how long it may grow.
  ///   - jitter: a random byte. The wait is between half and the whole of the step.
  static func seconds(attempt: Int, pause: Pause, jitter: UInt8) -> Double {
    if pause == .second { return 1 }
    let doublings = min(max(attempt - 1, 0), 16)
    let step = min(0.5 * Double(1 << doublings), pause.longest)
    return step * (0.5 + Double(jitter) / 510)
  }
}

/// The kind of a pause, which limits how long it grows.
enum Pause: Hashable, Sendable {
  /// The user waits for the work.
  case short
  /// The work runs in the background.
  case long
  /// The work runs in the background, and the store has answered that it rejects it for now.
  case busy
  /// Nothing failed; the pause keeps a loop from running without rest.
  case breath
  /// Always one second: another process has to release the storage folder first.
  case second
}

extension Pause {
  /// The longest wait in seconds.
  fileprivate var longest: Double {
    switch self {
    case .breath: 0.5
    case .second: 1
    case .short: 15
    case .long: 60
    case .busy: 900
    }
  }
}
