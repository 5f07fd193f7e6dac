extension Transaction {
  init(from reader: inout XDRReader) throws(XDRError) {
    let source = try MuxedAccount(from: &reader)
    try self.init(source: source, from: &reader)
  }

  /// Reads all fields but the source. Preconditions other than time bounds are refused; as it happens, time bounds
  /// alone are written like the optional ones of the first form.
  init(source: MuxedAccount, from reader: inout XDRReader) throws(XDRError) {
    self.source = source
    fee = try reader.uint32("the fee")
    sequence = try reader.positive("a sequence number")
    timeBounds = try Self.timeBounds(&reader)
    memo = try Memo(from: &reader)
    operations = try reader.array(Self.operationLimit, what: "operations") { (reader) throws(XDRError) in
      try Operation(from: &reader)
    }
    try reader.extensionPoint()
  }

  private static func timeBounds(_ reader: inout XDRReader) throws(XDRError) -> TimeBounds? {
    switch try reader.uint32("preconditions") {
    case 0: return nil
    case 1:
      let minimum = try reader.uint64("time bounds")
      guard let bounds = TimeBounds(minimum: minimum, maximum: try reader.uint64("time bounds")) else {
        throw XDRError("The transaction's time ends before it begins.")
      }
      return bounds
    case let type: throw XDRError("Expected time bounds or none, got preconditions of type \(type).")
    }
  }

  func encode(to writer: inout XDRWriter) {
    source.encode(to: &writer)
    encodeRest(to: &writer)
  }

  func encodeRest(to writer: inout XDRWriter) {
    writer.uint32(fee)
    writer.int64(sequence)
    writer.optional(timeBounds) { writer, bounds in
      writer.uint64(bounds.minimum)
      writer.uint64(bounds.maximum)
    }
    memo.encode(to: &writer)
    writer.array(operations) { writer, operation in operation.encode(to: &writer) }
    writer.uint32(0)
  }
}
