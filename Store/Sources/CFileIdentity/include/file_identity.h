#ifndef FILE_IDENTITY_H
#define FILE_IDENTITY_H

#include <stdint.h>

/// The inode number and the time of creation of a file, of which a copy of the file differs in at least one.
typedef struct {
  uint64_t number;
  /// Since 1970.
  int64_t seconds;
  uint32_t nanoseconds;
} file_identity;

/// Reads the identity of the file at a path. Returns 0, or -1 if the system does not report all of it.
int file_identity_of(const char *path, file_identity *identity);

#endif
