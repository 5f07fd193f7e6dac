// The peer of the store's purchases: writes the rows that the store writes for a purchase, straight through SQLite, one
// flushed transaction for each of its three steps (order, payment, finish). It reads nothing, signs nothing, speaks no
// HTTP and checks no rule.
//
//   purchases-peer copy STORE.sqlite PEER.sqlite    takes over the store's tables, with its product and one purchase
//   purchases-peer run PEER.sqlite COUNT            writes COUNT purchases like that one; prints purchases per second
//
// cc -O2 purchases.c -lsqlite3 -o purchases-peer

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, db ? sqlite3_errmsg(db) : "no database");
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *s = NULL;
  check(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, sql);
  return s;
}

static void write_row(sqlite3_stmt *s) {
  int result = sqlite3_step(s);
  check(result == SQLITE_DONE || result == SQLITE_ROW, sqlite3_sql(s));
  check(sqlite3_changes(db) == 1, sqlite3_sql(s));
  sqlite3_reset(s);
}

/// Binds the columns of the row that a query gives, in order, from a parameter on; they stay bound.
static void bind_row(sqlite3_stmt *s, int first, const char *sql) {
  sqlite3_stmt *row = prepare(sql);
  check(sqlite3_step(row) == SQLITE_ROW, sql);
  for (int i = 0; i < sqlite3_column_count(row); i++)
    check(sqlite3_bind_value(s, first + i, sqlite3_column_value(row, i)) == SQLITE_OK, sql);
  sqlite3_finalize(row);
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// A UUID of version 7: grows with time, as the store's ids do.
static void uuid7(char *text, int64_t ms) {
  static uint64_t state = 88172645463325252u;
  uint64_t r[2];
  for (int i = 0; i < 2; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    r[i] = state;
  }
  sprintf(text, "%08" PRIx64 "-%04" PRIx64 "-7%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64, (uint64_t)ms >> 16,
          (uint64_t)ms & 0xffff, r[0] & 0xfff, (r[0] >> 16 & 0x3fff) | 0x8000, r[1] & 0xffffffffffff);
}

static void text(sqlite3_stmt *s, int parameter, const char *value) {
  sqlite3_bind_text(s, parameter, value, -1, SQLITE_STATIC);
}

static struct {
  sqlite3_stmt *order, *event, *payment, *change, *paid, *tax, *sale, *number, *receipt, *finish;
} st;

#define PURCHASE "(SELECT order_id FROM receipts LIMIT 1)"

static void prepare_all(void) {
  st.order = prepare(
    "INSERT INTO orders(id, created_at, account_id, app_id, product_id, ordered_product, quantity, country, currency, "
    "amount, price_text, state, reason, app_account_token, language, original_order_id, changed) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'open', ?12, ?13, ?14, ?15, 0)");
  bind_row(st.order, 3,
    "SELECT account_id, app_id, product_id, ordered_product, quantity, country, currency, amount, price_text, reason, "
    "app_account_token, language, original_order_id FROM orders WHERE id = " PURCHASE);
  st.event = prepare("INSERT INTO provider_events(id, received_at, provider) VALUES (?1, ?2, ?3)");
  bind_row(st.event, 3, "SELECT provider FROM provider_events LIMIT 1");
  st.payment = prepare(
    "INSERT INTO payments(id, order_id, created_at, provider, method, amount, currency, state) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  bind_row(st.payment, 4,
    "SELECT provider, method, amount, currency, state FROM payments WHERE order_id = " PURCHASE);
  st.change = prepare("UPDATE accounts SET newest_change = newest_change + 1 WHERE id = ?1 RETURNING newest_change");
  bind_row(st.change, 1, "SELECT account_id FROM orders WHERE id = " PURCHASE);
  st.paid = prepare(
    "UPDATE orders SET paid_at = ?2, payment_id = ?3, changed = ?4, state = 'paid', amount = ?5, price_text = ?6 "
    "WHERE id = ?1");
  bind_row(st.paid, 5, "SELECT amount, price_text FROM orders WHERE id = " PURCHASE);
  st.sale = prepare(
    "INSERT INTO ledger(order_id, created_at, kind, debit, credit, amount, currency) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  bind_row(st.sale, 3, "SELECT kind, debit, credit, amount, currency FROM ledger "
                       "WHERE kind = 'sale' AND order_id = " PURCHASE);
  st.tax = prepare(
    "INSERT INTO order_taxes(order_id, country, basis_points, number_country, card_country, is_weak) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  bind_row(st.tax, 2,
    "SELECT country, basis_points, number_country, card_country, is_weak FROM order_taxes WHERE order_id = " PURCHASE);
  st.number = prepare("INSERT INTO receipt_numbers(order_id, sold_at, entity, year) VALUES (?1, ?2, ?3, ?4)");
  bind_row(st.number, 3, "SELECT entity, year FROM receipt_numbers WHERE order_id = " PURCHASE);
  st.receipt = prepare("INSERT INTO receipts(order_id, jws) VALUES (?1, ?2)");
  bind_row(st.receipt, 2, "SELECT jws FROM receipts LIMIT 1");
  st.finish = prepare("UPDATE orders SET finished_at = ?2, changed = ?3 WHERE id = ?1");
}

/// Raises a number, and returns it.
static int64_t next(sqlite3_stmt *s) {
  check(sqlite3_step(s) == SQLITE_ROW, sqlite3_sql(s));
  int64_t value = sqlite3_column_int64(s, 0);
  sqlite3_reset(s);
  return value;
}

static void make_order(const char *id, int64_t now) {
  run("BEGIN IMMEDIATE");
  text(st.order, 1, id);
  sqlite3_bind_int64(st.order, 2, now);
  write_row(st.order);
  run("COMMIT");
}

static void pay(const char *id, const char *payment, const char *event, int64_t now) {
  run("BEGIN IMMEDIATE");
  text(st.event, 1, event);
  sqlite3_bind_int64(st.event, 2, now);
  write_row(st.event);
  text(st.payment, 1, payment);
  text(st.payment, 2, id);
  sqlite3_bind_int64(st.payment, 3, now);
  write_row(st.payment);
  int64_t change = next(st.change);
  text(st.paid, 1, id);
  sqlite3_bind_int64(st.paid, 2, now);
  text(st.paid, 3, payment);
  sqlite3_bind_int64(st.paid, 4, change);
  write_row(st.paid);
  text(st.tax, 1, id);
  write_row(st.tax);
  text(st.sale, 1, id);
  sqlite3_bind_int64(st.sale, 2, now);
  write_row(st.sale);
  text(st.number, 1, id);
  sqlite3_bind_int64(st.number, 2, now);
  write_row(st.number);
  text(st.receipt, 1, id);
  write_row(st.receipt);
  run("COMMIT");
}

static void finish(const char *id, int64_t now) {
  run("BEGIN IMMEDIATE");
  int64_t change = next(st.change);
  text(st.finish, 1, id);
  sqlite3_bind_int64(st.finish, 2, now);
  sqlite3_bind_int64(st.finish, 3, change);
  write_row(st.finish);
  run("COMMIT");
}

static void purchases(const char *path, long count) {
  check(sqlite3_open(path, &db) == SQLITE_OK, path);
  run("PRAGMA journal_mode = WAL");
  run("PRAGMA synchronous = FULL");
  run("PRAGMA wal_autocheckpoint = 4000");
  run("PRAGMA temp_store = MEMORY");
  run("PRAGMA cache_size = -65536");
  prepare_all();
  double start = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++) {
    char id[37], payment[37], event[37];
    int64_t now = (int64_t)(seconds(CLOCK_REALTIME) * 1000);
    uuid7(id, now);
    uuid7(payment, now);
    uuid7(event, now);
    make_order(id, now);
    pay(id, payment, event, now);
    finish(id, now);
  }
  printf("%.1f\n", (double)count / (seconds(CLOCK_MONOTONIC) - start));
  // So that the file's size tells what was written.
  sqlite3_reset(st.change);
  sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

static void copy(const char *from, const char *to) {
  sqlite3 *source;
  check(sqlite3_open(from, &source) == SQLITE_OK && sqlite3_open(to, &db) == SQLITE_OK, "open");
  sqlite3_backup *backup = sqlite3_backup_init(db, "main", source, "main");
  check(backup != NULL && sqlite3_backup_step(backup, -1) == SQLITE_DONE, "copy");
  sqlite3_backup_finish(backup);
  sqlite3_close(source);
  sqlite3_close(db);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "copy") == 0) {
    copy(argv[2], argv[3]);
  } else if (argc == 4 && strcmp(argv[1], "run") == 0) {
    purchases(argv[2], atol(argv[3]));
  } else {
    fprintf(stderr, "usage: purchases-peer copy STORE.sqlite PEER.sqlite | run PEER.sqlite COUNT\n");
    return 2;
  }
  return 0;
}
