import Foundation

/// The wire format of an e-mail (RFC 5322, MIME): plain text in UTF-8. Base64 keeps every line short and without a dot
/// at its beginning.
package struct MailText {
  let message: OutgoingMessage
  let from: String
  let date: Date

  var text: String {
    let fields = [
      "From: \(Self.name(of: from).map { "\(Self.word($0)) " } ?? "")<\(Self.address(of: from))>",
      "To: <\(message.to.text)>",
      "Subject: \(Self.word(message.subject))",
      "Date: \(Self.format(date))",
      "Message-ID: <\(message.id)@\(Self.domain(of: Self.address(of: from)))>",
      // Automatic responders, such as vacation notices, do not answer it (RFC 3834).
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
    ]
    let body = Data((message.text + "\r\n").utf8).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
    ])
    return fields.map { $0 + "\r\n" }.joined() + "\r\n" + body + "\r\n"
  }

  /// `Onside` of `Onside <codes@store.example>`.
  static func name(of mailbox: String) -> String? {
    guard mailbox.contains("<") else { return nil }
    let name = mailbox.prefix { $0 != "<" }.trimmingCharacters(in: .whitespaces)
    return name.isEmpty ? nil : name
  }

  /// `codes@store.example` of `Onside <codes@store.example>`.
  package static func address(of mailbox: String) -> String {
    guard let open = mailbox.firstIndex(of: "<") else { return mailbox }
    return String(mailbox[mailbox.index(after: open)...].prefix { $0 != ">" })
  }

  static func domain(of address: String) -> String {
    address.split(separator: "@").last.map(String.init) ?? "localhost"
  }

  /// The text of a header: unchanged when it is plain ASCII, else as encoded words of 45 bytes at most (RFC 2047). Line
  /// breaks become spaces, against header injection.
  private static func word(_ text: String) -> String {
    let text = String(text.map { $0.isNewline ? " " : $0 })
    if text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == " " }), text.allSatisfy(\.isASCII) { return text }
    var pieces: [String] = [""]
    for character in text {
      if pieces[pieces.count - 1].utf8.count + String(character).utf8.count > 45 { pieces.append("") }
      pieces[pieces.count - 1].append(character)
    }
    return pieces.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  private static func format(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    return formatter.string(from: date)
  }
}
