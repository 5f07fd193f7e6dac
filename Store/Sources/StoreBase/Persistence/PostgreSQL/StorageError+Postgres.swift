import PostgresClient

extension StorageError {
  /// From an error of the client.
  init(_ error: PostgresError) {
    switch error.kind {
    case .diskFull: self = .full
    // The client's own deadline: the server said nothing. With a code the server was busy for too long.
    case .deadlineExceeded where error.sqlState == nil: self = .unreachable(error.message)
    case .deadlineExceeded, .locked, .poolExhausted, .serverFull: self = .busy
    case .shutDown: self = .closed
    case .uniqueViolation, .constraintViolation: self = .constraint(error.constraint ?? error.message)
    // Found by the client, or a character that the encoding does not have. What else the server refuses as a value (a
    // number out of range, a text that is no number) is a statement's defect: no caller can mend it.
    case .invalidValue where error.sqlState == nil || error.sqlState == "22021":
      self = .invalidValue(sqlState: error.sqlState, message: error.message)
    case .damaged: self = .damaged(error.message)
    case .outcomeUnknown: self = .outcomeUnknown(error.message)
    case .unreachable, .connectionLost, .readOnly, .authentication, .serialization, .deadlock, .statementOutdated,
      .serverFailure:
      self = .unreachable(error.message)
    default: self = .refused(sqlState: error.sqlState, message: error.message)
    }
  }
}
