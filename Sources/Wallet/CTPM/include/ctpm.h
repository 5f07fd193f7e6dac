#ifndef CTPM_H
#define CTPM_H

#include <stddef.h>
#include <stdint.h>

/// A TPM 2.0, through tpm2-tss, whose libraries are taken when a TPM is opened. Functions answer 0, a response code of
/// the TPM or of tpm2-tss (TSS 2.0 Overview, 2.4), or one of the codes below. One thread at a time.
typedef struct ctpm ctpm;

enum {
  /// Compiled without tpm2-tss's headers.
  CTPM_NOT_BUILT = 0xFFFF0001,
  /// The library or one of its functions is not there.
  CTPM_NO_LIBRARY = 0xFFFF0002,
  /// No memory, or a value of a length that is not possible.
  CTPM_OUT_OF_RANGE = 0xFFFF0003,
};

/// Lengths in bytes.
enum { CTPM_NAME = 34, CTPM_SECRET_MAX = 128, CTPM_AUTH_MAX = 32, CTPM_PART_MAX = 1024 };

/// What Create gives, as the TPM writes it: both parts are needed to load it under the same key again.
typedef struct {
  size_t public_size;
  uint8_t public_part[CTPM_PART_MAX];
  size_t private_size;
  uint8_t private_part[CTPM_PART_MAX];
} ctpm_sealed;

/// Opens the TPM that a TCTI configuration names ("device:/dev/tpmrm0").
uint32_t ctpm_open(const char *esys_library, const char *tctildr_library, const char *tcti, ctpm **opened);
/// Flushes what this has in the TPM, and closes it.
void ctpm_close(ctpm *tpm);

/// Makes the primary key by the fixed template in the owner's hierarchy, and a session salted under it, which encrypts.
/// The same TPM gives the same key until it is cleared; its name is written to `name`.
uint32_t ctpm_begin(ctpm *tpm, uint8_t name[CTPM_NAME]);
/// Seals a secret. With an authorisation value the TPM counts wrong ones, and locks; without, everybody on this machine
/// who may use the TPM may unseal it.
uint32_t ctpm_seal(ctpm *tpm, const uint8_t *secret, size_t count, const uint8_t *auth, size_t auth_count,
                   ctpm_sealed *sealed);
/// Unseals. `count` is the room there is, then what was sealed.
uint32_t ctpm_unseal(ctpm *tpm, const ctpm_sealed *sealed, const uint8_t *auth, size_t auth_count, uint8_t *secret,
                     size_t *count);
/// The values of `count` properties from `first` on (TPM2_PT_…); those that it has not are 0.
uint32_t ctpm_properties(ctpm *tpm, uint32_t first, uint32_t *values, size_t count);

#endif
