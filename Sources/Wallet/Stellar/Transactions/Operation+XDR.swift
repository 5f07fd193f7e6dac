extension Operation {
  private enum Code {
    static let createAccount: UInt32 = 0
    static let payment: UInt32 = 1
    static let changeTrust: UInt32 = 6
    static let manageData: UInt32 = 10
  }

  init(from reader: inout XDRReader) throws(XDRError) {
    let source = try reader.optional("an operation's source") { (reader) throws(XDRError) in
      try MuxedAccount(from: &reader)
    }
    self.init(try Self.action(&reader), source: source)
  }

  private static func action(_ reader: inout XDRReader) throws(XDRError) -> Action {
    switch try reader.uint32("an operation") {
    case Code.createAccount:
      let account = try AccountAddress(from: &reader)
      return .createAccount(account, startingBalance: try amount(&reader))
    case Code.payment:
      let destination = try MuxedAccount(from: &reader)
      let asset = try Asset(from: &reader)
      return .payment(to: destination, asset, try amount(&reader))
    case Code.changeTrust:
      guard let issue = try Asset(from: &reader).issue else { throw XDRError("Lumens need no trust line.") }
      return .changeTrust(issue, limit: try amount(&reader))
    case Code.manageData: return try manageData(&reader)
    case let code:
      throw XDRError("Operations of type \(code) are not signed here: pay, create account, trust, data are.")
    }
  }

  private static func manageData(_ reader: inout XDRReader) throws(XDRError) -> Action {
    guard let name = DataName(bytes: try reader.variable(atMost: 64, "a data name")) else {
      throw XDRError("Expected a data name of 1 to 64 printable characters of ASCII.")
    }
    let value = try reader.optional("a data value") { (reader) throws(XDRError) in
      try reader.variable(atMost: valueLimit, "a data value")
    }
    return .manageData(name, value: value)
  }

  private static func amount(_ reader: inout XDRReader) throws(XDRError) -> Amount {
    guard let amount = Amount(stroops: try reader.positive("an amount")) else { throw XDRError("Expected an amount.") }
    return amount
  }

  func encode(to writer: inout XDRWriter) {
    writer.optional(source) { writer, source in source.encode(to: &writer) }
    switch action {
    case .createAccount(let account, let balance):
      writer.uint32(Code.createAccount)
      account.encode(to: &writer)
      writer.int64(balance.stroops)
    case .payment(let destination, let asset, let amount):
      writer.uint32(Code.payment)
      destination.encode(to: &writer)
      asset.encode(to: &writer)
      writer.int64(amount.stroops)
    case .changeTrust(let issue, let limit):
      writer.uint32(Code.changeTrust)
      Asset(issue).encode(to: &writer)
      writer.int64(limit.stroops)
    case .manageData(let name, let value):
      writer.uint32(Code.manageData)
      writer.variable(Array(name.description.utf8))
      writer.optional(value) { writer, value in writer.variable(value) }
    }
  }
}
