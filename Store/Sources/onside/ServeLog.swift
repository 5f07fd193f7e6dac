import Foundation
import Logging
import OnsideStore

/// Where the serving store logs: standard error, in the form that was configured.
enum ServeLog {
  static func logger(_ configuration: ServeConfiguration) -> Logger {
    var logger = Logger(label: "onside") { label in
      LineLog(label: label, format: configuration.logFormat, clock: SystemClock()) {
        FileHandle.standardError.write(Data($0.utf8))
      }
    }
    logger.logLevel = configuration.logLevel
    return logger
  }
}
