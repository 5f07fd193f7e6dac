public import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps everything in memory and tells it as Prometheus text. A series is made once
/// and never forgotten, so labels must come from a fixed set: never from what a user sends.
public final class PrometheusMetrics: MetricsFactory {
  private struct Key: Hashable {
    let name: String
    let labels: String
  }

  private let series = Mutex<[Key: any PrometheusSeries]>([:])

  /// A backend without any series.
  public init() {}

  /// The state as Prometheus text (version 0.0.4), in the order of names.
  public func text() -> String {
    let all = series.withLock { $0 }
    let byName = Dictionary(grouping: all, by: \.key.name).sorted { $0.key < $1.key }
    return byName.map { name, series in
      let lines = series.sorted { $0.key.labels < $1.key.labels }.map {
        $0.value.lines(name: name, labels: $0.key.labels)
      }
      return "# TYPE \(name) \(series[0].value.kind)\n" + lines.joined()
    }.joined()
  }

  /// A counter.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, dimensions: dimensions) { PrometheusCounter() }
  }

  /// A meter, which is a gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions: dimensions) { PrometheusGauge() }
  }

  /// A recorder: a histogram of counts when it aggregates, else a gauge.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate {
      find(label, dimensions: dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.counts) }
    } else {
      find(label, dimensions: dimensions) { PrometheusGauge() }
    }
  }

  /// A timer: a histogram of seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions: dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
  }

  /// Series are kept: Prometheus expects them to go on.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Series are kept.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Series are kept.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Series are kept.
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func find<S: PrometheusSeries>(_ label: String, dimensions: [(String, String)], _ make: () -> S) -> S {
    let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    return series.withLock { series in
      let key = Key(name: Self.name(label), labels: labels)
      if let known = series[key] {
        guard let known = known as? S else { preconditionFailure("\(label) was made as another kind of metric") }
        return known
      }
      let made = make()
      series[key] = made
      return made
    }
  }

  // A store makes more than a thousand series at its start, nearly all of them with plain texts.
  private static func name(_ text: String) -> String {
    guard !text.utf8.allSatisfy(isOfName) else { return text }
    return String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" })
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x5C, 0x22, 0x0A].contains($0) }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
