import Foundation

/// Where an installation keeps its secrets, in `secrets.json`: chosen at the first start and never again.
///
/// It is the installation's marker, too: a secret that names another one was left over by an installation before, or is
/// a copy's.
struct SecretsRecord: Codable, Hashable, Sendable {
  /// A name that is made anew with each folder.
  var installation: String
  /// The ``SecretStore/name`` of the place, or ``file``.
  var place: String

  /// The place of installations whose system had none at their first start: files that only their owner can read.
  static let file = "file"

  private static let name = "secrets.json"

  /// What was chosen; nil when nothing was, or what is there makes no sense.
  static func read(in folder: DurableFolder) throws -> SecretsRecord? {
    try folder.read(name).flatMap { try? JSONDecoder().decode(SecretsRecord.self, from: $0) }
  }

  func write(in folder: DurableFolder) throws {
    try folder.write([(name: Self.name, content: JSONEncoder().encode(self))])
  }
}
