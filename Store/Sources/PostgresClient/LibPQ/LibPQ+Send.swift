import CPostgres

/// Requests; each answers 1 when libpq has taken it.
extension LibPQ {
  /// One or more statements without parameters.
  static func send(_ connection: OpaquePointer, script: String) -> Int32 { PQsendQuery(connection, script) }

  /// A statement that is prepared under a name. The server infers a type that is nil.
  static func send(
    _ connection: OpaquePointer, prepare sql: String, name: String, types: [PostgresType?]
  ) -> Int32 {
    PQsendPrepare(connection, name, sql, Int32(types.count), types.map { $0?.oid ?? 0 })
  }

  /// What a prepared statement expects.
  static func send(_ connection: OpaquePointer, describe name: String) -> Int32 {
    PQsendDescribePrepared(connection, name)
  }

  /// A prepared statement with its parameters, whose answer is in text format.
  static func send(_ connection: OpaquePointer, statement name: String, _ parameters: EncodedParameters) -> Int32 {
    let count = parameters.ranges.count
    let lengths = parameters.ranges.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: count)
    // An empty buffer may have no address, which would mean null.
    return (parameters.bytes + [0]).withUnsafeBytes { buffer in
      let start = buffer.bindMemory(to: CChar.self).baseAddress
      let values = parameters.ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } }
      return PQsendQueryPrepared(connection, name, Int32(count), values, lengths, formats, 0)
    }
  }
}
