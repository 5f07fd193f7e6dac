import NIOCore

/// One answer of a mail server (RFC 5321, 4.2): a code and its lines.
struct SMTPReply: Sendable, Hashable {
  var code: Int
  var lines: [String]

  var isGood: Bool { (200..<400).contains(code) }

  /// The words after a keyword of the answer to `EHLO`, such as the mechanisms of `AUTH`; nil when the keyword is
  /// missing.
  func words(after keyword: String) -> [String]? {
    for line in lines.dropFirst() {
      let words = line.uppercased().split(whereSeparator: { $0 == " " || $0 == "=" }).map(String.init)
      if words.first == keyword { return Array(words.dropFirst()) }
    }
    return nil
  }
}

/// A parser that joins the lines of a server to replies.
struct SMTPReplyParser {
  /// The longest line, in bytes; longer ones are an error.
  private static let longestLine = 2048
  private static let mostLines = 100

  private var buffer = ByteBuffer()
  private var lines: [String] = []

  /// True between replies: no part of the next one has arrived.
  var isEmpty: Bool { buffer.readableBytes == 0 && lines.isEmpty }

  mutating func add(_ bytes: ByteBuffer) { buffer.writeImmutableBuffer(bytes) }

  /// The next whole reply; nil until there is one.
  mutating func next() throws(MessageFailure) -> SMTPReply? {
    while let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
      let line = buffer.readString(length: end + 1 - buffer.readerIndex) ?? ""
      let text = line.trimmingSuffix { $0.isNewline }
      guard let code = Int(text.prefix(3)), (200..<600).contains(code), lines.count < Self.mostLines else {
        throw .notAccepted("expected an answer of a mail server, got something else; is the port right?")
      }
      lines.append(String(text.dropFirst(4)))
      guard text.dropFirst(3).first != "-" else { continue }
      defer { lines = [] }
      return SMTPReply(code: code, lines: lines)
    }
    guard buffer.readableBytes <= Self.longestLine else {
      throw .notAccepted("expected an answer of a mail server, got a line without an end; is the port right?")
    }
    return nil
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> SubSequence {
    var rest = self[...]
    while let last = rest.last, isLeftOut(last) { rest.removeLast() }
    return rest
  }
}
