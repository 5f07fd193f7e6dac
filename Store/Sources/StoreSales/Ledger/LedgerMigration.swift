import StoreBase

extension Migration {
  static let ledger = [
    Migration(
      6, name: "ledger",
      sql: """
        CREATE TABLE ledger(
          order_id TEXT NOT NULL, kind TEXT NOT NULL, debit TEXT NOT NULL, credit TEXT NOT NULL,
          amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (order_id, kind), CHECK (debit <> credit)) WITHOUT ROWID;
        CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is never changed'); END;
        CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is never deleted'); END;
        """,
      postgres: """
        CREATE TABLE ledger(
          order_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, debit TEXT COLLATE "C" NOT NULL,
          credit TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0),
          currency TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (order_id, kind),
          CHECK (debit <> credit));
        CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS '
          BEGIN RAISE EXCEPTION ''the ledger is never changed'' USING ERRCODE = ''restrict_violation''; END';
        CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
        """),
    Migration(
      103, name: "the store's share of a sale, in hundredths of a percent, so that the commission can be checked",
      sql: "ALTER TABLE ledger ADD COLUMN basis_points BIGINT;"),
    Migration(
      220, name: "the ledger is read in the order of time",
      sql: "CREATE INDEX ledger_by_time ON ledger(created_at, order_id, kind);"),
  ]
}
