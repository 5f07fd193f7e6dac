import Foundation
import Sodium

@testable import Stellar

/// A case that stellar-sdk and this library have to agree on; see `Peer/peer.py`.
enum PeerCase: Codable {
  case key(Key)
  case words(Words)
  case transaction(Signing)
  case challenge(Challenge)
  case link(Link)
  case damaged(Damaged)
  case torn(Torn)

  struct Key: Codable, Equatable { let seed, account, secret, id, muxed, message, signature: String }
  struct Words: Codable {
    let words, passphrase: String
    let index: UInt32
    let account: String
  }
  struct Signing: Codable { let seed, network, unsigned, hash, signed: String }
  struct Challenge: Codable {
    let seed, client: String
    let memo: String?
    let server, home, domain, network, challenge, signed: String
  }
  struct Link: Codable {
    let text, signer, network: String
    let message: String?
  }
  struct Damaged: Codable {
    let text: String
    let taken: Bool
  }
  struct Torn: Codable {
    let text, network: String
    let again: String?
  }

  private enum Keys: String, CodingKey { case kind }

  init(from decoder: any Decoder) throws {
    let kind = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .kind)
    switch kind {
    case "key": self = .key(try Key(from: decoder))
    case "words": self = .words(try Words(from: decoder))
    case "transaction": self = .transaction(try Signing(from: decoder))
    case "challenge": self = .challenge(try Challenge(from: decoder))
    case "link": self = .link(try Link(from: decoder))
    case "damaged": self = .damaged(try Damaged(from: decoder))
    case "torn": self = .torn(try Torn(from: decoder))
    default: throw CocoaError(.coderReadCorrupt)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    let (kind, value): (String, any Encodable) =
      switch self {
      case .key(let value): ("key", value)
      case .words(let value): ("words", value)
      case .transaction(let value): ("transaction", value)
      case .challenge(let value): ("challenge", value)
      case .link(let value): ("link", value)
      case .damaged(let value): ("damaged", value)
      case .torn(let value): ("torn", value)
      }
    try container.encode(kind, forKey: .kind)
    try value.encode(to: encoder)
  }

  static let now: UInt64 = 1_700_000_000

  static func pair(_ seed: String) throws -> SigningKeyPair {
    guard let pair = SigningKeyPair(seed: SecretBytes(copying: bytes(hex: seed))) else {
      throw CocoaError(.coderReadCorrupt)
    }
    return pair
  }
}
