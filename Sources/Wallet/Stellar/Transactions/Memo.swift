/// A note in a transaction, for its recipient.
public enum Memo: Sendable, Hashable {
  /// No note.
  case none
  /// Up to 28 bytes, mostly UTF-8, which is not checked.
  case text([UInt8])
  /// A number, mostly that of a customer.
  case id(UInt64)
  /// A hash, 32 bytes.
  case hash([UInt8])
  /// The hash of the transaction that this one pays back, 32 bytes.
  case returnHash([UInt8])

  /// A text of up to 28 bytes of UTF-8; nil for a longer one.
  public static func text(_ text: String) -> Memo? {
    text.utf8.count <= Self.textLimit ? .text(Array(text.utf8)) : nil
  }

  static let textLimit = 28

  var isWellFormed: Bool {
    switch self {
    case .none, .id: true
    case .text(let bytes): bytes.count <= Self.textLimit
    case .hash(let hash), .returnHash(let hash): hash.count == 32
    }
  }
}

extension Memo {
  init(from reader: inout XDRReader) throws(XDRError) {
    switch try reader.uint32("a memo") {
    case 0: self = .none
    case 1: self = .text(try reader.variable(atMost: Self.textLimit, "a memo"))
    case 2: self = .id(try reader.uint64("a memo"))
    case 3: self = .hash(try reader.opaque(32, what: "a memo"))
    case 4: self = .returnHash(try reader.opaque(32, what: "a memo"))
    case let type: throw XDRError("Expected a memo, got one of type \(type).")
    }
  }

  func encode(to writer: inout XDRWriter) {
    switch self {
    case .none: writer.uint32(0)
    case .text(let bytes):
      writer.uint32(1)
      writer.variable(bytes)
    case .id(let id):
      writer.uint32(2)
      writer.uint64(id)
    case .hash(let hash):
      writer.uint32(3)
      writer.opaque(hash)
    case .returnHash(let hash):
      writer.uint32(4)
      writer.opaque(hash)
    }
  }
}
