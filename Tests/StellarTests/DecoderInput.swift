import Sodium
import Stellar

/// An input to one of the decoders, and the checks for every input: no crash, and accepted input encodes to the same
/// bytes. The first byte selects the decoder. `script/fuzz` searches for inputs that fail a check.
enum DecoderInput {
  /// The failed check; nil if none failed.
  static func fault(_ input: [UInt8]) -> String? {
    guard let kind = input.first else { return nil }
    let rest = Array(input.dropFirst())
    return switch kind {
    case 0: strKey(String(decoding: rest, as: UTF8.self))
    case 1: envelope(rest)
    case 2: link(String(decoding: rest, as: UTF8.self))
    case 3: challenge(rest)
    case 4: seed(rest)
    case 5: words(rest)
    default: nil
    }
  }

  private static func strKey(_ text: String) -> String? {
    if let key = try? StrKey(text), key.text != text { return "StrKey" }
    if let account = try? MuxedAccount(text), account.text != text { return "MuxedAccount" }
    return nil
  }

  private static func envelope(_ bytes: [UInt8]) -> String? {
    guard let envelope = try? TransactionEnvelope(bytes: bytes) else { return nil }
    _ = envelope.transaction.summary(on: .test)
    return envelope.bytes == bytes ? nil : "TransactionEnvelope"
  }

  private static func link(_ text: String) -> String? {
    guard let link = try? SigningLink(text) else { return nil }
    if link.originDomain != nil, link.signature == nil { return "an unsigned origin" }
    // The signature alone may be escaped in another way; the link is the same then.
    return (try? SigningLink(link.text)) == link ? nil : "SigningLink"
  }

  /// The server's signature cannot be guessed; it is put under whatever else the input says.
  private static func challenge(_ bytes: [UInt8]) -> String? {
    guard let server = SigningKeyPair(seed: SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))),
      let read = try? TransactionEnvelope(bytes: bytes),
      let web = try? WebAuthentication(
        server: server.account, homeDomain: "example.com", webAuthDomain: "auth.example.com", network: .test)
    else { return nil }
    var envelope = TransactionEnvelope(read.transaction)
    guard (try? envelope.sign(with: server, on: .test)) != nil,
      let challenge = try? web.read(envelope.base64, now: 1_700_000_010)
    else { return nil }
    let isReal = challenge.envelope.transaction.sequence != 0
    let acts = challenge.envelope.transaction.operations.contains {
      if case .manageData = $0.action { false } else { true }
    }
    return isReal || acts || challenge.nonce.count != 48 ? "a challenge that does something" : nil
  }

  private static func seed(_ bytes: [UInt8]) -> String? {
    guard let pair = try? SigningKeyPair(secret: SecretBytes(copying: bytes)) else { return nil }
    return pair.withSecret { $0.elementsEqual(bytes) } ? nil : "SigningKeyPair"
  }

  private static func words(_ bytes: [UInt8]) -> String? {
    guard let words = try? Mnemonic(SecretBytes(copying: bytes)) else { return nil }
    return (try? Mnemonic(words.text))?.text.isEqual(to: words.text) == true ? nil : "Mnemonic"
  }
}
