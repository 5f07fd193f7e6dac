#include "ctpm.h"

#if defined(__linux__) && __has_include(<tss2/tss2_esys.h>) && __has_include(<tss2/tss2_tctildr.h>)

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

#define ESYS_FUNCTIONS(X) \
  X(Esys_Initialize) X(Esys_Finalize) X(Esys_Free) X(Esys_CreatePrimary) X(Esys_StartAuthSession) \
  X(Esys_TRSess_SetAttributes) X(Esys_Create) X(Esys_Load) X(Esys_TR_SetAuth) X(Esys_TR_GetName) X(Esys_Unseal) \
  X(Esys_FlushContext) X(Esys_GetCapability) X(Tss2_MU_TPM2B_PUBLIC_Marshal) X(Tss2_MU_TPM2B_PUBLIC_Unmarshal)
#define TCTILDR_FUNCTIONS(X) X(Tss2_TctiLdr_Initialize) X(Tss2_TctiLdr_Finalize)

struct ctpm {
#define MEMBER(name) __typeof__(&name) name;
  ESYS_FUNCTIONS(MEMBER)
  TCTILDR_FUNCTIONS(MEMBER)
#undef MEMBER
  TSS2_TCTI_CONTEXT *tcti;
  ESYS_CONTEXT *esys;
  ESYS_TR primary;
  ESYS_TR session;
};

static int load(ctpm *tpm, const char *esys_library, const char *tctildr_library) {
  // Never unloaded again: OpenSSL under it has things to do when the process ends.
  void *esys = dlopen(esys_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void *tctildr = dlopen(tctildr_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!esys || !tctildr) return 0;
#define FROM_ESYS(name) if (!(tpm->name = (__typeof__(&name))dlsym(esys, #name))) return 0;
#define FROM_TCTILDR(name) if (!(tpm->name = (__typeof__(&name))dlsym(tctildr, #name))) return 0;
  ESYS_FUNCTIONS(FROM_ESYS)
  TCTILDR_FUNCTIONS(FROM_TCTILDR)
  return 1;
}

uint32_t ctpm_open(const char *esys_library, const char *tctildr_library, const char *tcti, ctpm **opened) {
  ctpm *tpm = calloc(1, sizeof *tpm);
  if (!tpm) return CTPM_OUT_OF_RANGE;
  tpm->primary = tpm->session = ESYS_TR_NONE;
  TSS2_RC code = CTPM_NO_LIBRARY;
  if (load(tpm, esys_library, tctildr_library)) code = tpm->Tss2_TctiLdr_Initialize(tcti, &tpm->tcti);
  if (!code) code = tpm->Esys_Initialize(&tpm->esys, tpm->tcti, NULL);
  if (code) {
    ctpm_close(tpm);
    return code;
  }
  *opened = tpm;
  return 0;
}

static void flush(ctpm *tpm, ESYS_TR *handle) {
  if (*handle != ESYS_TR_NONE) tpm->Esys_FlushContext(tpm->esys, *handle);
  *handle = ESYS_TR_NONE;
}

/// Overwrites what a called function may have left below on the stack.
static __attribute__((noinline)) void clear_stack(void) {
  uint8_t below[32768];
  explicit_bzero(below, sizeof below);
}

void ctpm_close(ctpm *tpm) {
#ifdef M_PERTURB
  // tpm2-tss frees authorisation values and session keys without overwriting them: make the C library overwrite freed
  // memory.
  mallopt(M_PERTURB, 0x5a);
#endif
  flush(tpm, &tpm->session);
  flush(tpm, &tpm->primary);
  if (tpm->esys) tpm->Esys_Finalize(&tpm->esys);
  if (tpm->tcti) tpm->Tss2_TctiLdr_Finalize(&tpm->tcti);
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0);
#endif
  free(tpm);
  clear_stack();
}

/// A storage key on P-256, as TCG's "EK Credential Profile" has it for storage roots.
static const TPM2B_PUBLIC primary_template = {
    .publicArea = {
        .type = TPM2_ALG_ECC,
        .nameAlg = TPM2_ALG_SHA256,
        .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                            TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT,
        .parameters.eccDetail = {.symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB},
                                 .scheme.scheme = TPM2_ALG_NULL,
                                 .curveID = TPM2_ECC_NIST_P256,
                                 .kdf.scheme = TPM2_ALG_NULL},
        .unique.ecc = {.x.size = 32, .y.size = 32},
    }};

static uint32_t start_session(ctpm *tpm) {
  const TPMT_SYM_DEF aes = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
  TSS2_RC code = tpm->Esys_StartAuthSession(tpm->esys, tpm->primary, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                            ESYS_TR_NONE, NULL, TPM2_SE_HMAC, &aes, TPM2_ALG_SHA256, &tpm->session);
  if (code) return code;
  const TPMA_SESSION encrypts = TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT | TPMA_SESSION_CONTINUESESSION;
  return tpm->Esys_TRSess_SetAttributes(tpm->esys, tpm->session, encrypts, 0xff);
}

uint32_t ctpm_begin(ctpm *tpm, uint8_t name[CTPM_NAME]) {
  const TPM2B_SENSITIVE_CREATE nothing = {0};
  const TPM2B_DATA no_data = {0};
  const TPML_PCR_SELECTION no_registers = {0};
  TSS2_RC code = tpm->Esys_CreatePrimary(tpm->esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
                                         &nothing, &primary_template, &no_data, &no_registers, &tpm->primary, NULL,
                                         NULL, NULL, NULL);
  if (code) return code;
  TPM2B_NAME *found = NULL;
  code = tpm->Esys_TR_GetName(tpm->esys, tpm->primary, &found);
  if (code) return code;
  if (found->size == CTPM_NAME) memcpy(name, found->name, CTPM_NAME);
  else code = CTPM_OUT_OF_RANGE;
  tpm->Esys_Free(found);
  return code ? code : start_session(tpm);
}

static uint32_t write_parts(ctpm *tpm, const TPM2B_PUBLIC *public_part, const TPM2B_PRIVATE *private_part,
                            ctpm_sealed *sealed) {
  sealed->public_size = sealed->private_size = 0;
  TSS2_RC code =
      tpm->Tss2_MU_TPM2B_PUBLIC_Marshal(public_part, sealed->public_part, CTPM_PART_MAX, &sealed->public_size);
  if (code) return code;
  if (private_part->size > CTPM_PART_MAX) return CTPM_OUT_OF_RANGE;
  sealed->private_size = private_part->size;
  memcpy(sealed->private_part, private_part->buffer, private_part->size);
  return 0;
}

uint32_t ctpm_seal(ctpm *tpm, const uint8_t *secret, size_t count, const uint8_t *auth, size_t auth_count,
                   ctpm_sealed *sealed) {
  if (count > CTPM_SECRET_MAX || auth_count > CTPM_AUTH_MAX) return CTPM_OUT_OF_RANGE;
  TPM2B_SENSITIVE_CREATE content = {.sensitive = {.userAuth.size = auth_count, .data.size = count}};
  memcpy(content.sensitive.data.buffer, secret, count);
  if (auth_count) memcpy(content.sensitive.userAuth.buffer, auth, auth_count);
  // Without USERWITHAUTH no authorisation value is ever right, nor counted.
  TPM2B_PUBLIC kind = {.publicArea = {.type = TPM2_ALG_KEYEDHASH,
                                      .nameAlg = TPM2_ALG_SHA256,
                                      .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT |
                                                          TPMA_OBJECT_USERWITHAUTH |
                                                          (auth_count ? 0 : TPMA_OBJECT_NODA),
                                      .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL}};
  const TPM2B_DATA no_data = {0};
  const TPML_PCR_SELECTION no_registers = {0};
  TPM2B_PUBLIC *public_part = NULL;
  TPM2B_PRIVATE *private_part = NULL;
  TSS2_RC code = tpm->Esys_Create(tpm->esys, tpm->primary, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, &content, &kind,
                                  &no_data, &no_registers, &private_part, &public_part, NULL, NULL, NULL);
  explicit_bzero(&content, sizeof content);
  clear_stack();
  if (!code) code = write_parts(tpm, public_part, private_part, sealed);
  tpm->Esys_Free(public_part);
  tpm->Esys_Free(private_part);
  return code;
}

static uint32_t load_sealed(ctpm *tpm, const ctpm_sealed *sealed, ESYS_TR *object) {
  TPM2B_PUBLIC public_part = {0};
  TPM2B_PRIVATE private_part = {.size = sealed->private_size};
  size_t read = 0;
  TSS2_RC code =
      tpm->Tss2_MU_TPM2B_PUBLIC_Unmarshal(sealed->public_part, sealed->public_size, &read, &public_part);
  if (code) return code;
  if (sealed->private_size > sizeof private_part.buffer) return CTPM_OUT_OF_RANGE;
  // Bytes that do not encode to themselves again were not written by this code.
  uint8_t again[CTPM_PART_MAX];
  size_t written = 0;
  code = tpm->Tss2_MU_TPM2B_PUBLIC_Marshal(&public_part, again, sizeof again, &written);
  if (code || written != sealed->public_size || memcmp(again, sealed->public_part, written)) return CTPM_OUT_OF_RANGE;
  memcpy(private_part.buffer, sealed->private_part, sealed->private_size);
  return tpm->Esys_Load(tpm->esys, tpm->primary, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, &private_part, &public_part,
                        object);
}

static uint32_t set_auth(ctpm *tpm, ESYS_TR object, const uint8_t *auth, size_t auth_count) {
  TPM2B_AUTH value = {.size = auth_count};
  if (auth && auth_count) memcpy(value.buffer, auth, auth_count);
  TSS2_RC code = tpm->Esys_TR_SetAuth(tpm->esys, object, &value);
  explicit_bzero(&value, sizeof value);
  return code;
}

uint32_t ctpm_unseal(ctpm *tpm, const ctpm_sealed *sealed, const uint8_t *auth, size_t auth_count, uint8_t *secret,
                     size_t *count) {
  if (auth_count > CTPM_AUTH_MAX) return CTPM_OUT_OF_RANGE;
  ESYS_TR object = ESYS_TR_NONE;
  TPM2B_SENSITIVE_DATA *found = NULL;
  TSS2_RC code = load_sealed(tpm, sealed, &object);
  if (code) return code;
  code = set_auth(tpm, object, auth, auth_count);
  if (!code)
    code = tpm->Esys_Unseal(tpm->esys, object, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, &found);
  set_auth(tpm, object, NULL, auth_count);
  flush(tpm, &object);
  // Its answer takes the place of the secret in the buffer for messages.
  uint32_t values[16];
  ctpm_properties(tpm, TPM2_PT_FIXED, values, 16);
  clear_stack();
  if (code) return code;
  if (found->size > *count) {
    code = CTPM_OUT_OF_RANGE;
  } else {
    *count = found->size;
    memcpy(secret, found->buffer, found->size);
  }
  explicit_bzero(found, sizeof *found);
  tpm->Esys_Free(found);
  return code;
}

uint32_t ctpm_properties(ctpm *tpm, uint32_t first, uint32_t *values, size_t count) {
  TPMI_YES_NO more = 0;
  TPMS_CAPABILITY_DATA *found = NULL;
  TSS2_RC code = tpm->Esys_GetCapability(tpm->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CAP_TPM_PROPERTIES,
                                         first, count, &more, &found);
  if (code) return code;
  memset(values, 0, count * sizeof *values);
  const TPML_TAGGED_TPM_PROPERTY *list = &found->data.tpmProperties;
  // The answer has no signature, and the library accepts any capability in place of the requested one.
  if (found->capability != TPM2_CAP_TPM_PROPERTIES || list->count > TPM2_MAX_TPM_PROPERTIES) {
    tpm->Esys_Free(found);
    return CTPM_OUT_OF_RANGE;
  }
  for (uint32_t index = 0; index < list->count; index++) {
    uint32_t place = list->tpmProperty[index].property - first;
    if (place < count) values[place] = list->tpmProperty[index].value;
  }
  tpm->Esys_Free(found);
  return 0;
}

#else

uint32_t ctpm_open(const char *esys_library, const char *tctildr_library, const char *tcti, ctpm **opened) {
  return CTPM_NOT_BUILT;
}
void ctpm_close(ctpm *tpm) {}
uint32_t ctpm_begin(ctpm *tpm, uint8_t name[CTPM_NAME]) { return CTPM_NOT_BUILT; }
uint32_t ctpm_seal(ctpm *tpm, const uint8_t *secret, size_t count, const uint8_t *auth, size_t auth_count,
                   ctpm_sealed *sealed) {
  return CTPM_NOT_BUILT;
}
uint32_t ctpm_unseal(ctpm *tpm, const ctpm_sealed *sealed, const uint8_t *auth, size_t auth_count, uint8_t *secret,
                     size_t *count) {
  return CTPM_NOT_BUILT;
}
uint32_t ctpm_properties(ctpm *tpm, uint32_t first, uint32_t *values, size_t count) { return CTPM_NOT_BUILT; }

#endif
