#ifndef EMBEDDED_TEXTS_H
#define EMBEDDED_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/// A file of `Texts` or `NumberingPlans`, as it was when the store was built.
typedef struct {
  const uint8_t *bytes;
  size_t length;
} embedded_text;

/// The file of a language, such as "en"; without bytes if the language has none.
embedded_text embedded_text_of(const char *language);

/// The telephone numbering plans.
embedded_text embedded_numbering_plans(void);

#endif
