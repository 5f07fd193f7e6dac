import CPostgres

/// The warnings that a server sends beside its answers. libpq would print them.
final class NoticeLog {
  /// A warning: its code, and the text.
  struct Warning {
    let sqlState: String
    let message: String
  }

  var warnings: [Warning] = []

  /// Has libpq report to this log, which has to live as long as the connection.
  func listen(to connection: OpaquePointer) {
    let log = Unmanaged.passUnretained(self).toOpaque()
    PQsetNoticeReceiver(
      connection,
      { log, result in
        guard let log, let result, ResultField.severity.value(of: result) == "WARNING" else { return }
        let warning = Warning(
          sqlState: ResultField.sqlState.value(of: result) ?? "",
          message: ResultField.message.value(of: result) ?? "")
        Unmanaged<NoticeLog>.fromOpaque(log).takeUnretainedValue().warnings.append(warning)
      }, log)
  }
}

/// The parts of an error or a notice: the letters of libpq's `PG_DIAG_…`, which Swift does not import.
enum ResultField: Unicode.Scalar {
  /// The severity, which is not translated.
  case severity = "V"
  case sqlState = "C"
  case message = "M"
  case constraint = "n"
  /// The function of the server that reported it.
  case routine = "R"

  func value(of result: OpaquePointer) -> String? {
    PQresultErrorField(result, Int32(rawValue.value)).map { String(cString: $0) }
  }
}
