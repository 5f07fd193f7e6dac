#pragma once
#include <stdlib.h>

// The compiler's coverage runtime, which is linked with --enable-code-coverage only. Its symbols are hidden: dlsym finds
// none of them, and a weak reference is null without the runtime.
#ifdef __linux__
__attribute__((weak)) void __llvm_profile_reset_counters(void);
__attribute__((weak)) void __llvm_profile_set_filename(const char *file);
__attribute__((weak)) int __llvm_profile_write_file(void);
#endif

/// Sets all coverage counters to zero, if script/acts runs the test.
static inline void act_begins(void) {
#ifdef __linux__
  if (getenv("ONSIDE_ACT_COUNTERS") && __llvm_profile_reset_counters) __llvm_profile_reset_counters();
#endif
}

/// Writes the coverage counters to the file ONSIDE_ACT_COUNTERS, if script/acts runs the test.
static inline void act_ends(void) {
#ifdef __linux__
  const char *file = getenv("ONSIDE_ACT_COUNTERS");
  if (!file || !__llvm_profile_set_filename || !__llvm_profile_write_file) return;
  __llvm_profile_set_filename(file);
  __llvm_profile_write_file();
  // The runtime writes the counters again when the process ends.
  __llvm_profile_set_filename("/dev/null");
#endif
}
