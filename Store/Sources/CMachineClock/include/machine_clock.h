#ifndef MACHINE_CLOCK_H
#define MACHINE_CLOCK_H

#include <stdint.h>

/// Milliseconds since the machine was started, also while it was suspended; -1 if the system does not report them.
int64_t machine_clock_since_boot(void);

/// 1 if the kernel reports that its wall clock is synchronised (NTP), else 0.
int machine_clock_is_synchronised(void);

#endif
