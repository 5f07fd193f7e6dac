extension PostgresError.Kind {
  /// The kind that a code of the server stands for (PostgreSQL's manual, appendix A).
  ///
  /// - Parameter routine: the function of the server that reported it, which tells two uses of one code apart.
  init(sqlState: String, routine: String?) {
    self =
      switch (sqlState, sqlState.prefix(2)) {
      case ("40001", _): .serialization
      case ("40P01", _): .deadlock
      case ("23505", _): .uniqueViolation
      case (_, "23"): .constraintViolation
      case ("25006", _): .readOnly
      case ("25P02", _): .rolledBack
      case ("25P03", _), ("57P01", _), ("57P02", _), ("57P03", _), ("57P04", _), (_, "08"): .connectionLost
      case ("57014", _): .deadlineExceeded
      case ("55P03", _): .locked
      case (_, "28"): .authentication
      case ("3D000", _): .missingDatabase
      // "cached plan must not change result type"; and a statement that DISCARD or DEALLOCATE has removed.
      case ("0A000", _) where routine == "RevalidateCachedQuery", ("26000", _): .statementOutdated
      case ("53100", _): .diskFull
      case ("53300", _): .serverFull
      case (_, "53"), (_, "58"): .serverFailure
      case ("XX001", _), ("XX002", _): .damaged
      case (_, "22"): .invalidValue
      case (_, "42"): .invalidStatement
      default: .other
      }
  }
}
