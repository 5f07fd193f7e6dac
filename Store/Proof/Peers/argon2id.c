// Argon2id as the wallet calls it, and nothing else: prints how many milliseconds one took. cc -O2 argon2id.c -lsodium
#include <sodium.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  unsigned char out[64], salt[crypto_pwhash_SALTBYTES] = {1};
  struct timespec start, end;
  if (sodium_init() < 0) return 1;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (crypto_pwhash(out, sizeof out, "908172", 6, salt, 3, 64u << 20, crypto_pwhash_ALG_ARGON2ID13) != 0) return 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.3f\n", (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6);
  return 0;
}
