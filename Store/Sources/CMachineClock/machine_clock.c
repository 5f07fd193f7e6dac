// adjtimex is an extension, which Swift's module of the C library does not have.
#define _GNU_SOURCE
#include "machine_clock.h"

#include <time.h>
#ifdef __linux__
#include <sys/timex.h>
#endif

int64_t machine_clock_since_boot(void) {
  struct timespec time;
#ifdef __linux__
  const clockid_t clock = CLOCK_BOOTTIME;
#else
  const clockid_t clock = CLOCK_MONOTONIC;
#endif
  if (clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int machine_clock_is_synchronised(void) {
#ifdef __linux__
  struct timex state = {.modes = 0};
  return adjtimex(&state) >= 0 && (state.status & STA_UNSYNC) == 0;
#else
  return 0;
#endif
}
