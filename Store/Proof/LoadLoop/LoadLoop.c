#define _GNU_SOURCE
#include "LoadLoop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_LIMIT = 4096, SCRATCH = 65536 };

struct connection {
  int fd;
  uint32_t request, sequence_end;
  int64_t started;
  char head[HEAD_LIMIT + 1];
  uint32_t head_length;
  bool in_body;
  int status;
  int64_t body_left;
};

struct loop {
  const struct load_plan *plan;
  struct load_result *result;
  int64_t deadline;
  uint32_t next_sequence, busy;
  /// With a rate: when the next sequence begins, and the connections that none is played on.
  double due;
  struct connection **idle;
  uint32_t idle_count;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double thread_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static int connect_to(uint16_t port, int *fd) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1;
  *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*fd < 0) return errno;
  setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(*fd, (struct sockaddr *)&address, sizeof address) != 0) return errno;
  return fcntl(*fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static int send_all(int fd, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes += sent;
      length -= (size_t)sent;
    } else if (errno == EAGAIN) {
      // Rare: requests are smaller than a socket's buffer.
      struct pollfd p = {.fd = fd, .events = POLLOUT};
      poll(&p, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static int send_request(struct loop *loop, struct connection *c) {
  const struct load_request *r = &loop->plan->requests[c->request];
  c->head_length = 0;
  c->in_body = false;
  c->started = now_ns();
  return send_all(c->fd, r->bytes, r->length);
}

static int start_sequence(struct loop *loop, struct connection *c) {
  c->request = loop->next_sequence++ % loop->plan->sequences * loop->plan->sequence_length;
  c->sequence_end = c->request + loop->plan->sequence_length;
  return send_request(loop, c);
}

/// Starts the next free sequence on the connection; if none is left, the connection sends nothing more. With a rate, the
/// connection waits until one is due.
static int next_sequence(struct loop *loop, struct connection *c) {
  if (loop->plan->rate > 0) {
    loop->busy--;
    loop->idle[loop->idle_count++] = c;
    return 0;
  }
  bool over = loop->deadline > 0 ? now_ns() >= loop->deadline : loop->next_sequence >= loop->plan->sequences;
  if (over) {
    loop->busy--;
    return 0;
  }
  return start_sequence(loop, c);
}

/// With a rate: starts the sequences that are due by now.
static int start_due(struct loop *loop) {
  for (int64_t now = now_ns(); loop->due <= (double)now && now < loop->deadline; loop->due += 1e9 / loop->plan->rate) {
    if (loop->idle_count == 0) {
      loop->result->dropped++;
      continue;
    }
    loop->busy++;
    int error = start_sequence(loop, loop->idle[--loop->idle_count]);
    if (error != 0) return error;
  }
  return 0;
}

static bool is_refused(struct loop *loop, struct connection *c) {
  return loop->plan->refusal > 0 && c->status == loop->plan->refusal;
}

static void count(struct loop *loop, struct connection *c) {
  uint64_t us = (uint64_t)(now_ns() - c->started) / 1000;
  uint16_t kind = is_refused(loop, c) ? LOAD_REFUSED : loop->plan->requests[c->request].kind;
  loop->result->latencies[kind][us < LOAD_BUCKETS ? us : LOAD_BUCKETS - 1]++;
  loop->result->answers++;
}

static int finish_answer(struct loop *loop, struct connection *c) {
  count(loop, c);
  if (is_refused(loop, c)) {
    loop->result->refused++;
    return next_sequence(loop, c);
  }
  if (c->status != loop->plan->requests[c->request].status) {
    loop->result->failures++;
    return next_sequence(loop, c);
  }
  if (++c->request < c->sequence_end) return send_request(loop, c);
  loop->result->completed++;
  return next_sequence(loop, c);
}

static void keep_failure(struct loop *loop, struct connection *c, const char *body, size_t length) {
  char *text = loop->result->first_failure;
  if (text[0] != 0 || is_refused(loop, c) || c->status == loop->plan->requests[c->request].status) return;
  size_t head = c->head_length < LOAD_TEXT / 2 ? c->head_length : LOAD_TEXT / 2;
  if (length > LOAD_TEXT - 1 - head) length = LOAD_TEXT - 1 - head;
  memcpy(text, c->head, head);
  memcpy(text + head, body, length);
}

/// Parses bytes of the head; returns how many belonged to it, or -1 when the answer is malformed or unsupported.
static ssize_t take_head(struct connection *c, const char *bytes, size_t length) {
  size_t room = HEAD_LIMIT - c->head_length, taken = length < room ? length : room;
  uint32_t before = c->head_length;
  memcpy(c->head + before, bytes, taken);
  c->head_length += (uint32_t)taken;
  c->head[c->head_length] = 0;
  char *end = strstr(c->head + (before > 3 ? before - 3 : 0), "\r\n\r\n");
  if (end == NULL) return room > length ? (ssize_t)taken : -1;
  uint32_t head = (uint32_t)(end + 4 - c->head);
  c->head_length = head;
  c->head[head] = 0;
  c->status = head > 12 ? atoi(c->head + 9) : 0;
  char *field = strcasestr(c->head, "\r\ncontent-length:");
  if (field == NULL && c->status != 204) return -1;
  c->body_left = field == NULL ? 0 : atoll(field + 17);
  c->in_body = true;
  return (ssize_t)(head - before);
}

static int receive(struct loop *loop, struct connection *c, char *scratch) {
  ssize_t length = recv(c->fd, scratch, SCRATCH, 0);
  if (length < 0) return errno == EAGAIN || errno == EINTR ? 0 : errno;
  if (length == 0) return ECONNRESET;
  char *bytes = scratch;
  if (!c->in_body) {
    ssize_t head = take_head(c, bytes, (size_t)length);
    if (head < 0) return EPROTO;
    bytes += head;
    length -= head;
    if (c->in_body) keep_failure(loop, c, bytes, (size_t)length);
  }
  if (!c->in_body) return 0;
  c->body_left -= length;
  if (c->body_left < 0) return EPROTO;
  return c->body_left == 0 ? finish_answer(loop, c) : 0;
}

static int turn(struct loop *loop, int poller, char *scratch) {
  struct epoll_event events[256];
  bool goes_on = loop->plan->rate > 0 && now_ns() < loop->deadline;
  int ready = epoll_wait(poller, events, 256, goes_on ? 1 : 10000);
  if (ready < 0) return errno == EINTR ? 0 : errno;
  if (ready == 0) return goes_on ? 0 : ETIMEDOUT;
  for (int i = 0; i < ready; i++) {
    int error = receive(loop, events[i].data.ptr, scratch);
    if (error != 0) return error;
  }
  return 0;
}

static int play(struct loop *loop, struct connection *connections, int poller, char *scratch) {
  int error = 0;
  for (uint32_t i = 0; i < loop->plan->connections && error == 0; i++) {
    struct connection *c = &connections[i];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    error = connect_to(loop->plan->port, &c->fd);
    if (error == 0 && epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) != 0) error = errno;
  }
  int64_t started = now_ns();
  double cpu = thread_seconds();
  if (loop->plan->seconds > 0) loop->deadline = started + (int64_t)(loop->plan->seconds * 1e9);
  loop->busy = loop->plan->connections;
  loop->due = (double)started;
  for (uint32_t i = 0; i < loop->plan->connections && error == 0; i++) error = next_sequence(loop, &connections[i]);
  while (error == 0 && (loop->busy > 0 || (loop->plan->rate > 0 && now_ns() < loop->deadline))) {
    if (loop->plan->rate > 0) error = start_due(loop);
    if (error == 0) error = turn(loop, poller, scratch);
  }
  loop->result->elapsed_seconds = (double)(now_ns() - started) * 1e-9;
  loop->result->cpu_seconds = thread_seconds() - cpu;
  return error;
}

int load_run(const struct load_plan *plan, struct load_result *result) {
  struct loop loop = {.plan = plan, .result = result};
  struct connection *connections = calloc(plan->connections, sizeof *connections);
  loop.idle = calloc(plan->connections, sizeof *loop.idle);
  char *scratch = malloc(SCRATCH);
  int poller = epoll_create1(EPOLL_CLOEXEC), error = ENOMEM;
  if (connections != NULL && loop.idle != NULL && scratch != NULL && poller >= 0) {
    for (uint32_t i = 0; i < plan->connections; i++) connections[i].fd = -1;
    error = play(&loop, connections, poller, scratch);
    for (uint32_t i = 0; i < plan->connections; i++)
      if (connections[i].fd >= 0) close(connections[i].fd);
  }
  if (poller >= 0) close(poller);
  free(scratch);
  free(loop.idle);
  free(connections);
  return error;
}

int load_hold(uint16_t port, uint32_t connections, const struct load_request *requests, int *sockets) {
  for (uint32_t i = 0; i < connections; i++) {
    int error = connect_to(port, &sockets[i]);
    if (error == 0) error = send_all(sockets[i], requests[i].bytes, requests[i].length);
    if (error != 0) return error;
  }
  return 0;
}

uint32_t load_readable(const int *sockets, uint32_t count) {
  uint32_t readable = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct pollfd p = {.fd = sockets[i], .events = POLLIN};
    if (poll(&p, 1, 0) > 0) readable++;
  }
  return readable;
}
