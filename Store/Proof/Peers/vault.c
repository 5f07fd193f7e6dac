// The peer of the store's vault: a C program that takes the same signed requests over HTTP, does the same work for each
// (the device's signature, nonce and count, evaluation and proof of RFC 9497 on ristretto255) and flushes each count by
// itself before it evaluates. It keeps no generation and no guard file, forgets no nonce, and knows one route.
//
//   vault-peer copy STORE.sqlite PEER.sqlite     takes over the store's tables, with its enrolments
//   vault-peer serve PEER.sqlite loop            answers one request after the other, as they arrive
//   vault-peer serve PEER.sqlite threads         a thread for each connection: they compute while one of them flushes
//   vault-peer core COUNT                        evaluations for each second of processor time, without and with a
//                                                signature to check; no HTTP, no SQL
//
// cc -O2 vault.c -lsodium -lsqlite3 -lpthread -o vault-peer

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KEY = 32, ID = 16, NONCE = 16, PROOF = 64, TRIES = 10, ROOM = 8192, TOLERANCE = 300000 };

static sqlite3 *db;
static struct { sqlite3_stmt *begin, *commit, *rollback, *record, *note, *count; } st;
static pthread_mutex_t database = PTHREAD_MUTEX_INITIALIZER;

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, db ? sqlite3_errmsg(db) : "no database");
  exit(1);
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// MARK: RFC 9497, ristretto255-SHA512 with proofs

#define CONTEXT "OPRFV1-\x01-ristretto255-SHA512"

struct text { unsigned char bytes[1024]; size_t length; };

static void add(struct text *t, const void *bytes, size_t length) {
  memcpy(t->bytes + t->length, bytes, length);
  t->length += length;
}

static void add_prefixed(struct text *t, const void *bytes, size_t length) {
  unsigned char prefix[2] = {(unsigned char)(length >> 8), (unsigned char)length};
  add(t, prefix, 2);
  add(t, bytes, length);
}

/// HashToScalar: expand_message_xmd with SHA-512 to one block, modulo the order.
static void hash_to_scalar(unsigned char scalar[KEY], const struct text *message) {
  static const unsigned char zeros[128], middle[3] = {0, 64, 0}, one = 1;
  static const char name[] = "HashToScalar-" CONTEXT;
  const unsigned char length = sizeof name - 1;
  unsigned char block[64];
  crypto_hash_sha512_state s;
  crypto_hash_sha512_init(&s);
  crypto_hash_sha512_update(&s, zeros, sizeof zeros);
  crypto_hash_sha512_update(&s, message->bytes, message->length);
  crypto_hash_sha512_update(&s, middle, sizeof middle);
  crypto_hash_sha512_update(&s, (const unsigned char *)name, length);
  crypto_hash_sha512_update(&s, &length, 1);
  crypto_hash_sha512_final(&s, block);
  crypto_hash_sha512_init(&s);
  crypto_hash_sha512_update(&s, block, sizeof block);
  crypto_hash_sha512_update(&s, &one, 1);
  crypto_hash_sha512_update(&s, (const unsigned char *)name, length);
  crypto_hash_sha512_update(&s, &length, 1);
  crypto_hash_sha512_final(&s, block);
  crypto_core_ristretto255_scalar_reduce(scalar, block);
}

/// ComputeCompositesFast's weight of the one pair of elements.
static void weight(
  unsigned char scalar[KEY], const unsigned char *public_key, const unsigned char *blinded, const unsigned char *element
) {
  static const char name[] = "Seed-" CONTEXT;
  static const unsigned char index[2] = {0, 0};
  struct text seed = {.length = 0}, pair = {.length = 0};
  unsigned char hash[64];
  add_prefixed(&seed, public_key, KEY);
  add_prefixed(&seed, name, sizeof name - 1);
  crypto_hash_sha512(hash, seed.bytes, seed.length);
  add_prefixed(&pair, hash, sizeof hash);
  add(&pair, index, 2);
  add_prefixed(&pair, blinded, KEY);
  add_prefixed(&pair, element, KEY);
  add(&pair, "Composite", 9);
  hash_to_scalar(scalar, &pair);
}

static bool evaluate(
  const unsigned char *key, const unsigned char *public_key, const unsigned char *blinded, unsigned char element[KEY],
  unsigned char proof[PROOF]
) {
  unsigned char w[KEY], r[KEY], m[KEY], z[KEY], one[KEY], two[KEY], product[KEY];
  if (crypto_scalarmult_ristretto255(element, key, blinded) != 0) return false;
  weight(w, public_key, blinded, element);
  crypto_core_ristretto255_scalar_random(r);
  if (crypto_scalarmult_ristretto255(m, w, blinded) != 0 || crypto_scalarmult_ristretto255(z, key, m) != 0 ||
      crypto_scalarmult_ristretto255_base(one, r) != 0 || crypto_scalarmult_ristretto255(two, r, m) != 0)
    return false;
  struct text challenge = {.length = 0};
  const unsigned char *parts[] = {public_key, m, z, one, two};
  for (int i = 0; i < 5; i++) add_prefixed(&challenge, parts[i], KEY);
  add(&challenge, "Challenge", 9);
  hash_to_scalar(proof, &challenge);
  crypto_core_ristretto255_scalar_mul(product, proof, key);
  crypto_core_ristretto255_scalar_sub(proof + KEY, r, product);
  return true;
}

// MARK: The request and its signature

struct request {
  char *path;
  size_t path_length;
  unsigned char id[ID], device[KEY], nonce[NONCE], blinded[KEY];
  char nonce_text[32];
  int64_t time;
};

static bool decode(unsigned char *bytes, size_t count, const char *text, size_t length) {
  size_t decoded = 0;
  return sodium_base642bin(bytes, count, text, length, NULL, &decoded, NULL,
                           sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 && decoded == count;
}

static void encode(char *text, size_t room, const unsigned char *bytes, size_t count) {
  sodium_bin2base64(text, room, bytes, count, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/// `1.KEY.TIME.NONCE.SIGNATURE` over lines of text: a name, method, path, SHA-256 of the body, time, nonce.
static bool is_signed(struct request *r, char *field, const char *body, size_t body_length) {
  char *parts[5], *rest = field, hash_text[64], message[1024];
  unsigned char signature[crypto_sign_BYTES], hash[crypto_hash_sha256_BYTES];
  field[strcspn(field, "\r")] = 0;
  for (int i = 0; i < 5; i++)
    if ((parts[i] = strsep(&rest, ".")) == NULL) return false;
  if (strcmp(parts[0], "1") != 0 || strlen(parts[3]) >= sizeof r->nonce_text) return false;
  strcpy(r->nonce_text, parts[3]);
  r->time = atoll(parts[2]);
  if (!decode(r->device, KEY, parts[1], strlen(parts[1])) || !decode(r->nonce, NONCE, parts[3], strlen(parts[3])) ||
      !decode(signature, sizeof signature, parts[4], strlen(parts[4])))
    return false;
  crypto_hash_sha256(hash, (const unsigned char *)body, body_length);
  encode(hash_text, sizeof hash_text, hash, sizeof hash);
  int length = snprintf(message, sizeof message, "onside-vault-request-1\nPOST\n%.*s\n%s\n%s\n%s", (int)r->path_length,
                        r->path, hash_text, parts[2], parts[3]);
  return length > 0 && (size_t)length < sizeof message &&
         crypto_sign_verify_detached(signature, (unsigned char *)message, (size_t)length, r->device) == 0;
}

static bool read_request(struct request *r, char *head, const char *body, size_t body_length) {
  static const char prefix[] = "/v1/vault/enrolments/", suffix[] = "/evaluate", name[] = "\"blinded\":\"";
  char *field = strcasestr(head, "\r\nonside-vault-signature: ");
  const char *blinded = memmem(body, body_length, name, sizeof name - 1);
  if (strncmp(head, "POST ", 5) != 0 || field == NULL || blinded == NULL) return false;
  r->path = head + 5;
  r->path_length = strcspn(r->path, " ");
  blinded += sizeof name - 1;
  const char *id = r->path + sizeof prefix - 1;
  return strncmp(r->path, prefix, sizeof prefix - 1) == 0 && r->path_length == sizeof prefix - 1 + 22 + sizeof suffix - 1 &&
         memcmp(id + 22, suffix, sizeof suffix - 1) == 0 && decode(r->id, ID, id, 22) &&
         blinded + 43 < body + body_length && decode(r->blinded, KEY, blinded, 43) &&
         is_signed(r, field + 26, body, body_length) && crypto_core_ristretto255_is_valid_point(r->blinded) == 1 &&
         !sodium_is_zero(r->blinded, KEY);
}

// MARK: The count

struct record { unsigned char public_key[KEY], key[KEY]; int64_t tries, waits_until, epoch; };

static int64_t wait_after(int64_t tries) {
  static const int64_t minutes[] = {0, 0, 0, 0, 1, 5, 15, 60, 60, 480, 480};
  return minutes[tries] * 60000;
}

static void finish(sqlite3_stmt *s) {
  check(sqlite3_step(s) == SQLITE_DONE, sqlite3_sql(s));
  sqlite3_reset(s);
}

static bool load(const struct request *r, struct record *record) {
  sqlite3_bind_blob(st.record, 1, r->id, ID, SQLITE_STATIC);
  bool found = sqlite3_step(st.record) == SQLITE_ROW && sqlite3_column_bytes(st.record, 0) == KEY &&
               memcmp(sqlite3_column_blob(st.record, 0), r->device, KEY) == 0 &&
               sqlite3_column_bytes(st.record, 2) == KEY && r->time > sqlite3_column_int64(st.record, 5);
  if (found) {
    memcpy(record->public_key, sqlite3_column_blob(st.record, 1), KEY);
    memcpy(record->key, sqlite3_column_blob(st.record, 2), KEY);
    record->tries = sqlite3_column_int64(st.record, 3);
    record->waits_until = sqlite3_column_int64(st.record, 4);
    record->epoch = sqlite3_column_int64(st.record, 6);
  }
  sqlite3_reset(st.record);
  return found;
}

static bool note(const struct request *r) {
  sqlite3_bind_blob(st.note, 1, r->id, ID, SQLITE_STATIC);
  sqlite3_bind_blob(st.note, 2, r->nonce, NONCE, SQLITE_STATIC);
  sqlite3_bind_int64(st.note, 3, r->time);
  finish(st.note);
  return sqlite3_changes(db) == 1;
}

static void write_count(const struct request *r, const struct record *record) {
  bool is_last = record->tries >= TRIES;
  sqlite3_bind_blob(st.count, 1, r->id, ID, SQLITE_STATIC);
  sqlite3_bind_int64(st.count, 2, record->tries);
  sqlite3_bind_int64(st.count, 3, record->waits_until);
  sqlite3_bind_int64(st.count, 4, r->time - 2 * TOLERANCE);
  sqlite3_bind_int(st.count, 5, is_last);
  finish(st.count);
}

/// One transaction, flushed by itself. False when the request is refused.
static bool take_try(const struct request *r, struct record *record) {
  int64_t now = now_ms();
  if (llabs(r->time - now) > TOLERANCE) return false;
  pthread_mutex_lock(&database);
  finish(st.begin);
  bool ok = load(r, record) && now >= record->waits_until && note(r);
  if (ok) {
    int64_t until = now + wait_after(++record->tries);
    if (until > now && until > record->waits_until) record->waits_until = until;
    write_count(r, record);
  }
  finish(ok ? st.commit : st.rollback);
  pthread_mutex_unlock(&database);
  return ok;
}

// MARK: HTTP

static int refuse(char *out) {
  return sprintf(out, "HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n");
}

static int answer(char *out, char *head, const char *body, size_t body_length) {
  struct request r;
  struct record record;
  unsigned char element[KEY], proof[PROOF];
  char id[32], texts[3][96], json[1024];
  if (!read_request(&r, head, body, body_length) || !take_try(&r, &record)) return refuse(out);
  if (!evaluate(record.key, record.public_key, r.blinded, element, proof)) return refuse(out);
  encode(id, sizeof id, r.id, ID);
  encode(texts[0], sizeof texts[0], element, KEY);
  encode(texts[1], sizeof texts[1], proof, PROOF);
  encode(texts[2], sizeof texts[2], record.public_key, KEY);
  int64_t wait = record.waits_until - now_ms();
  int length = sprintf(
    json,
    "{\"element\":\"%s\",\"proof\":\"%s\",\"vault\":{\"enrolment\":\"%s\",\"enrols_anew\":%s,\"epoch\":%lld,"
    "\"public_key\":\"%s\",\"retry_after\":%lld,\"state\":\"%s\",\"tries_remaining\":%lld}}",
    texts[0], texts[1], id, record.tries >= TRIES ? "true" : "false", (long long)record.epoch, texts[2],
    (long long)(wait > 0 ? (wait + 999) / 1000 : 0), record.tries >= TRIES ? "destroyed" : "confirmed",
    (long long)(TRIES - record.tries));
  return sprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, json);
}

struct connection { int fd; size_t length; char bytes[ROOM + 1]; };

/// Reads the available bytes and answers a request when it is complete. False at the end of the connection.
static bool serve(struct connection *c) {
  char out[2048];
  ssize_t count = recv(c->fd, c->bytes + c->length, ROOM - c->length, 0);
  if (count <= 0) return false;
  c->length += (size_t)count;
  c->bytes[c->length] = 0;
  char *end = strstr(c->bytes, "\r\n\r\n"), *field = strcasestr(c->bytes, "\r\ncontent-length:");
  if (end == NULL) return c->length < ROOM;
  size_t head = (size_t)(end + 4 - c->bytes), body = field == NULL || field > end ? 0 : (size_t)atoll(field + 17);
  if (head + body > ROOM) return false;
  if (c->length < head + body) return true;
  end[2] = 0;
  int length = answer(out, c->bytes, end + 4, body);
  c->length = 0;
  return send(c->fd, out, (size_t)length, MSG_NOSIGNAL) == length;
}

static void *serve_alone(void *connection) {
  while (serve(connection)) {}
  close(((struct connection *)connection)->fd);
  free(connection);
  return NULL;
}

static struct connection *accept_from(int listener) {
  int one = 1;
  struct connection *c = calloc(1, sizeof *c);
  check(c != NULL && (c->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0, "accept");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return c;
}

static void serve_threads(int listener) {
  for (;;) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, serve_alone, accept_from(listener)) == 0, "pthread_create");
    pthread_detach(thread);
  }
}

static void serve_loop(int listener) {
  int poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event events[64], event = {.events = EPOLLIN, .data.ptr = NULL};
  check(epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) == 0, "epoll");
  for (;;) {
    int ready = epoll_wait(poller, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      struct connection *c = events[i].data.ptr;
      if (c == NULL) {
        event.data.ptr = c = accept_from(listener);
        check(epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) == 0, "epoll");
      } else if (!serve(c)) {
        close(c->fd);
        free(c);
      }
    }
  }
}

// MARK: Start

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *s = NULL;
  check(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, sql);
  return s;
}

static void open_database(const char *path) {
  check(sqlite3_open(path, &db) == SQLITE_OK, path);
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000");
  run("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; PRAGMA secure_delete = ON");
  st.begin = prepare("BEGIN IMMEDIATE");
  st.commit = prepare("COMMIT");
  st.rollback = prepare("ROLLBACK");
  st.record = prepare(
    "SELECT device_key, public_key, secret_key, tries, waits_until, requests_after, epoch FROM vault_records "
    "WHERE id = ?1");
  st.note = prepare("INSERT INTO vault_nonces(record_id, nonce, signed_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING");
  st.count = prepare(
    "UPDATE vault_records SET tries = ?2, waits_until = ?3, requests_after = max(requests_after, ?4), "
    "secret_key = CASE WHEN ?5 THEN NULL ELSE secret_key END, state = CASE WHEN ?5 THEN 'destroyed' ELSE state END "
    "WHERE id = ?1");
}

static int listen_anywhere(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1024) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &length) == 0, "listen");
  printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
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

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void core(long count) {
  unsigned char key[KEY], public_key[KEY], blinded[KEY], element[KEY], proof[PROOF], message[200] = {1};
  unsigned char device[KEY], secret[crypto_sign_SECRETKEYBYTES], signature[crypto_sign_BYTES];
  crypto_core_ristretto255_scalar_random(key);
  crypto_core_ristretto255_random(blinded);
  check(crypto_scalarmult_ristretto255_base(public_key, key) == 0, "a key");
  crypto_sign_keypair(device, secret);
  crypto_sign_detached(signature, NULL, message, sizeof message, secret);
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    double start = thread_seconds();
    for (long i = 0; i < count; i++) {
      if (is_signed) check(crypto_sign_verify_detached(signature, message, sizeof message, device) == 0, "verify");
      check(crypto_core_ristretto255_is_valid_point(blinded) == 1, "an element");
      check(evaluate(key, public_key, blinded, element, proof), "evaluate");
    }
    printf("%.1f\n", (double)count / (thread_seconds() - start));
  }
}

int main(int argc, char **argv) {
  check(sodium_init() >= 0, "sodium_init");
  if (argc == 4 && strcmp(argv[1], "copy") == 0) {
    copy(argv[2], argv[3]);
  } else if (argc == 3 && strcmp(argv[1], "core") == 0) {
    core(atol(argv[2]));
  } else if (argc == 4 && strcmp(argv[1], "serve") == 0) {
    open_database(argv[2]);
    int listener = listen_anywhere();
    if (strcmp(argv[3], "threads") == 0) serve_threads(listener);
    serve_loop(listener);
  } else {
    fprintf(stderr, "usage: vault-peer copy STORE.sqlite PEER.sqlite | serve PEER.sqlite loop|threads | core COUNT\n");
    return 2;
  }
  return 0;
}
