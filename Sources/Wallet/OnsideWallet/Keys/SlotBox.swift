import Sodium

extension Slot {
  /// Seals a signing key under the keys of an enrolment.
  init(_ payload: Payload, header: Header, keys: KeySchedule.Keys, device: DeviceSecret, random: RandomBytes) {
    let nonce = random.bytes(XChaCha20Poly1305.nonceLength)
    let box = XChaCha20Poly1305.seal(payload.encoded, key: keys.box, nonce: nonce, header: header.encoded)
    self.init(header: header, nonce: nonce, box: box, seal: [])
    seal = device.seal(of: sealed)
  }

  /// Whether this device wrote it as it is.
  func isWhole(by device: DeviceSecret) -> Bool { Sodium.isEqual(seal, device.seal(of: sealed)) }

  /// What the box keeps. On a slot that ``isWhole(by:)``, nil means a wrong PIN and nothing else.
  func open(with keys: KeySchedule.Keys) throws(WalletError) -> Payload? {
    guard let bytes = XChaCha20Poly1305.open(box, key: keys.box, nonce: nonce, header: header.encoded) else {
      return nil
    }
    guard let payload = Payload(decoding: bytes),
      Sodium.isEqual(Ed25519.PrivateKey(seed: payload.seed).publicKey, publicKey)
    else { throw .damaged("a box with another key than it says") }
    return payload
  }
}
