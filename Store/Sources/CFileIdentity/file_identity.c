// statx is an extension, which Swift's module of the C library does not have.
#define _GNU_SOURCE
#include "file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

int file_identity_of(const char *path, file_identity *identity) {
#ifdef STATX_BTIME
  struct statx status;
  const unsigned int mask = STATX_INO | STATX_BTIME;
  if (statx(AT_FDCWD, path, 0, mask, &status) != 0 || (status.stx_mask & mask) != mask) return -1;
  identity->number = status.stx_ino;
  identity->seconds = status.stx_btime.tv_sec;
  identity->nanoseconds = status.stx_btime.tv_nsec;
  return 0;
#else
  return -1;
#endif
}
