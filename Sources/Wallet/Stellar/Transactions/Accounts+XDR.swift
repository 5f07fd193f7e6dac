extension AccountAddress {
  init(from reader: inout XDRReader) throws(XDRError) {
    let type = try reader.uint32("an account")
    guard type == 0 else { throw XDRError("Expected an Ed25519 key, got a key of type \(type).") }
    try self.init(bareFrom: &reader)
  }

  /// Without a type before it.
  init(bareFrom reader: inout XDRReader) throws(XDRError) {
    guard let account = AccountAddress(publicKey: try reader.opaque(32, what: "an account")) else {
      throw XDRError("Expected a key of 32 bytes.")
    }
    self = account
  }

  func encode(to writer: inout XDRWriter) {
    writer.uint32(0)
    writer.opaque(publicKey)
  }
}

extension MuxedAccount {
  private static let withID: UInt32 = 0x100

  init(from reader: inout XDRReader) throws(XDRError) {
    switch try reader.uint32("an account") {
    case 0: self.init(try AccountAddress(bareFrom: &reader))
    case Self.withID:
      let id = try reader.uint64("a muxed account's number")
      self.init(try AccountAddress(bareFrom: &reader), id: id)
    case let type: throw XDRError("Expected an account, got one of type \(type).")
    }
  }

  func encode(to writer: inout XDRWriter) {
    guard let id else { return account.encode(to: &writer) }
    writer.uint32(Self.withID)
    writer.uint64(id)
    writer.opaque(account.publicKey)
  }
}
