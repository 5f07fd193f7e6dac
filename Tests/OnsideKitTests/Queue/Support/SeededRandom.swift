import Foundation
import Logging
import Synchronization

/// SplitMix64: the same seed, the same numbers.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Bytes for ids. One source serves all queues of the process, so that ids never repeat after a restart.
final class SeededBytes: Sendable {
  private static let random = Mutex(SeededRandom(seed: 1))

  func next(_ count: Int) -> [UInt8] {
    Self.random.withLock { random in (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
  }
}

/// Keeps what is logged.
final class LogRecorder: Sendable {
  private let lines = Mutex<[String]>([])
  var warnings: [String] { lines.withLock { $0 } }
  var handler: any LogHandler { Handler(recorder: self) }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      recorder.lines.withLock { $0.append("\(event.message)") }
    }
  }
}
