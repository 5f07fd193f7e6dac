/// What is paid: the network's own lumens, or what an account has issued under a code.
public struct Asset: Sendable, Hashable, CustomStringConvertible {
  /// Who issued it, under which code.
  public struct Issue: Sendable, Hashable {
    /// 1 to 12 letters or digits.
    public let code: String
    /// The account that stands behind it.
    public let issuer: AccountAddress
  }

  /// Nil for lumens.
  public let issue: Issue?

  /// The network's own: lumens.
  public static let native = Asset(issue: nil)

  /// An issued one; nil unless the code is 1 to 12 letters or digits of ASCII.
  public init?(code: String, issuer: AccountAddress) {
    guard (1...12).contains(code.utf8.count), Self.isCode(code.utf8) else { return nil }
    issue = Issue(code: code, issuer: issuer)
  }

  /// What was issued.
  public init(_ issue: Issue) { self.init(issue: issue) }

  private init(issue: Issue?) { self.issue = issue }

  /// `XLM`, or the code and its issuer.
  public var description: String { issue.map { "\($0.code) of \($0.issuer)" } ?? "XLM" }

  private static func isCode(_ code: some Sequence<UInt8>) -> Bool {
    code.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber)
    }
  }
}

extension Asset {
  init(from reader: inout XDRReader) throws(XDRError) {
    switch try reader.uint32("an asset") {
    case 0: self = .native
    case 1: self = try Self.issued(codes: 1...4, &reader)
    case 2: self = try Self.issued(codes: 5...12, &reader)
    case let type: throw XDRError("Expected lumens or an issued asset, got an asset of type \(type).")
    }
  }

  /// A code fills its place with zeros at the end.
  private static func issued(codes: ClosedRange<Int>, _ reader: inout XDRReader) throws(XDRError) -> Asset {
    let place = try reader.opaque(codes.upperBound, what: "an asset's code")
    let code = place.prefix { $0 != 0 }
    guard codes.contains(code.count), place[code.count...].allSatisfy({ $0 == 0 }), isCode(code) else {
      throw XDRError("Expected an asset's code of \(codes.lowerBound) to \(codes.upperBound) letters or digits.")
    }
    let issuer = try AccountAddress(from: &reader)
    return Asset(issue: Issue(code: String(decoding: code, as: UTF8.self), issuer: issuer))
  }

  func encode(to writer: inout XDRWriter) {
    guard let issue else { return writer.uint32(0) }
    let code = Array(issue.code.utf8)
    let size = code.count <= 4 ? 4 : 12
    writer.uint32(size == 4 ? 1 : 2)
    writer.opaque(code + Array(repeating: 0, count: size - code.count))
    issue.issuer.encode(to: &writer)
  }
}
