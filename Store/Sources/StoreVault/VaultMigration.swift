package import StoreBase

extension Migration {
  /// The steps of this module.
  package static let storeVault = [
    Migration(
      90, name: "the guess-limiting vault",
      sql: """
        CREATE TABLE vault_records(
          id BLOB PRIMARY KEY, device_key BLOB NOT NULL, public_key BLOB NOT NULL, secret_key BLOB, tag_hash BLOB,
          replaces BLOB, epoch BIGINT NOT NULL, state TEXT NOT NULL, tries BIGINT NOT NULL,
          waits_until BIGINT NOT NULL, is_restored BIGINT NOT NULL, requests_after BIGINT NOT NULL,
          enrolled_at BIGINT NOT NULL) WITHOUT ROWID;
        CREATE INDEX vault_records_unconfirmed ON vault_records(enrolled_at) WHERE state IN ('open', 'sealed');
        CREATE TABLE vault_nonces(
          record_id BLOB NOT NULL, nonce BLOB NOT NULL, signed_at BIGINT NOT NULL, PRIMARY KEY(record_id, nonce))
          WITHOUT ROWID;
        CREATE TABLE vault_generation(id BIGINT PRIMARY KEY CHECK (id = 1), mark TEXT NOT NULL, \
        generation BIGINT NOT NULL);
        """,
      postgres: """
        CREATE TABLE vault_records(
          id BYTEA PRIMARY KEY, device_key BYTEA NOT NULL, public_key BYTEA NOT NULL, secret_key BYTEA, tag_hash BYTEA,
          replaces BYTEA, epoch BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, tries BIGINT NOT NULL,
          waits_until BIGINT NOT NULL, is_restored BIGINT NOT NULL, requests_after BIGINT NOT NULL,
          enrolled_at BIGINT NOT NULL);
        CREATE INDEX vault_records_unconfirmed ON vault_records(enrolled_at) WHERE state IN ('open', 'sealed');
        CREATE TABLE vault_nonces(
          record_id BYTEA NOT NULL, nonce BYTEA NOT NULL, signed_at BIGINT NOT NULL, PRIMARY KEY(record_id, nonce));
        CREATE TABLE vault_generation(
          id BIGINT PRIMARY KEY CHECK (id = 1), mark TEXT COLLATE "C" NOT NULL, generation BIGINT NOT NULL);
        """),
    Migration(
      180, name: "the vault's guards of several machines",
      sql: """
        CREATE TABLE vault_guards(mark TEXT PRIMARY KEY, state TEXT NOT NULL, generation BIGINT NOT NULL) WITHOUT ROWID;
        """,
      postgres: """
        CREATE TABLE vault_guards(
          mark TEXT COLLATE "C" PRIMARY KEY, state TEXT COLLATE "C" NOT NULL, generation BIGINT NOT NULL);
        """),
  ]
}
