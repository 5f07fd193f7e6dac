#ifndef LOAD_LOOP_H
#define LOAD_LOOP_H

#include <stdint.h>

/// A load generator: plays prepared requests over many HTTP/1.1 connections from one thread, so that the measurement
/// uses little processor time. Closed loop: a connection sends the next request when the last one is answered. Open loop,
/// with a rate: sequences begin at that rate, however long the earlier ones take.

enum {
  LOAD_KINDS = 4,
  LOAD_REFUSED = LOAD_KINDS - 1,
  /// One for each microsecond; the last one counts everything slower.
  LOAD_BUCKETS = 2000000,
  LOAD_TEXT = 2048,
};

struct load_request {
  const uint8_t *bytes;
  uint32_t length;
  /// Which table of latencies it counts in.
  uint16_t kind;
  /// The HTTP status that it must be answered with.
  uint16_t status;
};

struct load_plan {
  uint16_t port;
  uint32_t connections;
  /// Sequences of requests, one after the other. A connection plays one sequence in order, then the next free one.
  const struct load_request *requests;
  uint32_t sequence_length;
  uint32_t sequences;
  /// Above 0: repeat the sequences for this long. Else play them once.
  double seconds;
  /// Above 0: so many sequences begin each second, for `seconds`. One that finds no connection free is dropped.
  double rate;
  /// Above 0: the HTTP status of an answer that refuses a request, which is no failure. Its latency counts as that of the
  /// kind `LOAD_REFUSED`, and the rest of the sequence is left out.
  uint16_t refusal;
};

struct load_result {
  /// Counted latencies of each kind: LOAD_BUCKETS numbers, from the caller.
  uint32_t *latencies[LOAD_KINDS];
  uint64_t answers;
  /// Answers with another status; the rest of such a sequence is left out.
  uint64_t failures;
  /// Sequences that were answered to their end, that were refused, and that found no connection free.
  uint64_t completed, refused, dropped;
  /// The beginning of the first such answer.
  char first_failure[LOAD_TEXT];
  double elapsed_seconds;
  /// Processor time of this thread.
  double cpu_seconds;
};

/// Plays a plan against 127.0.0.1. Returns 0, or an errno when a connection could not be made or broke.
int load_run(const struct load_plan *plan, struct load_result *result);

/// Opens connections, sends one request on each and does not read the answer; `sockets` receives the descriptors.
/// Returns 0 or an errno.
int load_hold(uint16_t port, uint32_t connections, const struct load_request *requests, int *sockets);

/// The number of sockets that have an answer or their end to read.
uint32_t load_readable(const int *sockets, uint32_t count);

#endif
