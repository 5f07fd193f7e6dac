import Logging
import Metrics
import OnsideStore
import StoreAccounts
import StoreBase
import StoreWeb

/// Where the serving store logs: standard error, in the form that was configured.
enum ServeLog {
  /// A logger that never fails: `onside_log_lines_lost_total` counts the lines that could not be written, on a full
  /// disk or to a pipe that its reader has closed.
  static func logger(_ configuration: ServeConfiguration, metrics: PrometheusMetrics) -> Logger {
    let lost = Counter(label: "onside_log_lines_lost_total", dimensions: [], factory: metrics)
    var logger = Logger(label: "onside") { label in
      LineLog(label: label, format: configuration.logFormat, clock: SystemClock()) { line in
        do { try LineOutput.standardError.write(line) } catch { lost.increment() }
      }
    }
    logger.logLevel = configuration.logLevel
    return logger
  }
}
