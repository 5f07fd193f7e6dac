import OnsideAPI
import StoreBase

extension VaultEvaluationMessage {
  /// The same bytes as `WireCoding` makes, in a small part of its time: every sign in waits for this answer.
  var json: [UInt8] {
    var json = JSONWriter(capacity: 512)
    json.object { json in
      json.field("element", element.description)
      json.field("proof", proof.description)
      json.name("vault")
      json.object { json in
        json.field("enrolment", vault.enrolment.description)
        json.field("enrols_anew", vault.enrolsAnew)
        json.field("epoch", Int64(vault.epoch))
        json.field("public_key", vault.publicKey.description)
        json.field("retry_after", Int64(vault.retryAfter))
        json.field("state", vault.state.rawValue)
        json.field("tries_remaining", Int64(vault.triesRemaining))
      }
    }
    return json.bytes
  }
}

extension VaultEvaluateRequest {
  /// Reads a body as `WireCoding` writes it, without its decoder; nil for any other, which may be right as well.
  init?(canonical body: [UInt8]) {
    let (start, end) = (#"{"blinded":""#.utf8, #""}"#.utf8)
    guard body.starts(with: start), body.count >= start.count + end.count, body.suffix(end.count).elementsEqual(end),
      let blinded = WireBytes(String(decoding: body[start.count..<(body.count - end.count)], as: UTF8.self))
    else { return nil }
    self.init(blinded: blinded)
  }
}
