package import Sodium

/// The signing key under one PIN: what is needed to open it, the box, and the seal over both.
package struct Slot: Sendable, Hashable {
  static let length = Header.length + XChaCha20Poly1305.nonceLength + boxLength + sealLength
  static let boxLength = Payload.length + XChaCha20Poly1305.tagLength
  static let sealLength = 32

  package var header: Header
  package var nonce: [UInt8]
  package var box: [UInt8]
  /// HMAC-SHA-512 of all the rest under a key from the device secret, cut to 32 bytes. A change made without this
  /// device's secret is detected before a PIN is tried.
  package var seal: [UInt8]

  package var enrolment: [UInt8] { header.enrolment }
  package var publicKey: [UInt8] { header.publicKey }
  var sealed: [UInt8] { header.encoded + nonce + box }
  var encoded: [UInt8] { sealed + seal }

  package init(header: Header, nonce: [UInt8], box: [UInt8], seal: [UInt8]) {
    self.header = header
    self.nonce = nonce
    self.box = box
    self.seal = seal
  }

  init(decoding reader: inout ByteReader) throws(WalletError) {
    header = try Header(decoding: &reader)
    guard let nonce = reader.bytes(XChaCha20Poly1305.nonceLength), let box = reader.bytes(Self.boxLength),
      let seal = reader.bytes(Self.sealLength)
    else { throw .damaged("one that is cut off") }
    self.nonce = nonce
    self.box = box
    self.seal = seal
  }
}

/// The fields that are readable without the PIN, bound to the box as associated data. All lengths are fixed.
package struct Header: Sendable, Hashable {
  static let length = 152

  /// SHA-256 of the network's passphrase.
  package var network: [UInt8]
  /// e: 16 random bytes, new with every PIN.
  package var enrolment: [UInt8]
  /// Counts the enrolments of this wallet, from 1.
  package var epoch: UInt64
  package var limit: AttemptLimit
  package var passes: UInt32
  /// In KiB.
  package var memory: UInt32
  /// Of Argon2id, 16 bytes.
  package var salt: [UInt8]
  /// The vault's key for this enrolment (RFC 9497, ristretto255), against which its proofs are checked; zeros without
  /// one.
  package var vaultKey: [UInt8]
  /// The signing key's public half (Ed25519).
  package var publicKey: [UInt8]
  /// How many vaults there are, and how many of them must answer: room for more than the one that version 1 knows.
  private var vaults: [UInt8] { limit == .server ? [1, 1] : [0, 0] }

  package init(
    network: [UInt8], enrolment: [UInt8], epoch: UInt64, limit: AttemptLimit, argon2id: Argon2id, salt: [UInt8],
    vaultKey: [UInt8], publicKey: [UInt8]
  ) {
    self.network = network
    self.enrolment = enrolment
    self.epoch = epoch
    self.limit = limit
    passes = UInt32(argon2id.passes)
    memory = UInt32(argon2id.memory)
    self.salt = salt
    self.vaultKey = vaultKey
    self.publicKey = publicKey
  }

  package var argon2id: Argon2id { Argon2id(passes: Int(passes), memory: Int(memory)) }

  var encoded: [UInt8] {
    var bytes = ByteWriter()
    bytes.write(WalletItem.magic)
    bytes.write(WalletItem.version)
    bytes.write(limit.code)
    bytes.write(vaults)
    bytes.write(network)
    bytes.write(enrolment)
    bytes.write(epoch)
    bytes.write(passes)
    bytes.write(memory)
    bytes.write(salt)
    bytes.write(vaultKey)
    bytes.write(publicKey)
    return bytes.bytes
  }

  init(decoding reader: inout ByteReader) throws(WalletError) {
    guard let bytes = reader.bytes(Self.length) else { throw .damaged("one that is cut off") }
    var fields = ByteReader(Array(bytes.dropFirst(5)))
    guard let limit = fields.byte().flatMap(AttemptLimit.init(code:)), fields.number(UInt16.self) != nil,
      let network = fields.bytes(32), let enrolment = fields.bytes(16), let epoch = fields.number(UInt64.self),
      let passes = fields.number(UInt32.self),
      let memory = fields.number(UInt32.self), let salt = fields.bytes(Argon2id.saltLength),
      let vaultKey = fields.bytes(32), let publicKey = fields.bytes(32)
    else { throw .damaged("a field out of range") }
    self.init(
      network: network, enrolment: enrolment, epoch: epoch, limit: limit,
      argon2id: Argon2id(passes: Int(passes), memory: Int(memory)), salt: salt, vaultKey: vaultKey,
      publicKey: publicKey)
    // Bytes that do not encode to themselves again were not written by this code.
    guard encoded == bytes else { throw .damaged("a field out of range") }
  }
}
