extension Migration {
  static let signingKeys = [
    Migration(
      3, name: "signing keys",
      sql: """
        CREATE TABLE signing_keys(
          seq INTEGER PRIMARY KEY, private_key BLOB NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL);
        CREATE UNIQUE INDEX signing_keys_in_use ON signing_keys(state) WHERE state IN ('active', 'next');
        """)
  ]
}
