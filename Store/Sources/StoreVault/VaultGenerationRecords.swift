import StoreBase

/// The row of the vault's generation.
enum VaultGenerationRecords {
  /// One more change; part of the write that makes it.
  static func raise(in connection: any SQLConnection) throws -> VaultGeneration {
    let row = try connection.row(
      "UPDATE vault_generation SET generation = generation + 1 WHERE id = 1 RETURNING mark, generation")
    guard let row else { throw StorageError.unexpectedValue(column: "generation", expected: "a row") }
    return VaultGeneration(mark: try row.text("mark"), number: try row.integer("generation"))
  }

  /// The one that the database has; nil before the vault has begun.
  static func current(in connection: any SQLConnection) throws -> VaultGeneration? {
    try connection.row("SELECT mark, generation FROM vault_generation WHERE id = 1").map { row in
      VaultGeneration(mark: try row.text("mark"), number: try row.integer("generation"))
    }
  }

  static func begin(mark: String, in connection: any SQLConnection) throws {
    try connection.execute(
      "INSERT INTO vault_generation(id, mark, generation) VALUES (1, $1, 0) ON CONFLICT(id) DO NOTHING", [.text(mark)])
  }

  static func set(_ number: Int64, in connection: any SQLConnection) throws {
    try connection.execute("UPDATE vault_generation SET generation = $1 WHERE id = 1", [.integer(number)])
  }
}
