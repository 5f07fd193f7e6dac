#include "embedded_texts.h"

#include <string.h>

// In C, because SwiftPM's `.embedInCode` writes a Swift array, which took 14 seconds of each build.
// Clang has C23's `#embed` in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t en[] = {
#embed "Texts/en.json"
};

static const uint8_t de[] = {
#embed "Texts/de.json"
};

static const uint8_t fr[] = {
#embed "Texts/fr.json"
};

static const uint8_t es[] = {
#embed "Texts/es.json"
};

static const uint8_t nl[] = {
#embed "Texts/nl.json"
};

static const uint8_t ar[] = {
#embed "Texts/ar.json"
};

static const struct {
  const char *language;
  embedded_text text;
} files[] = {
  {"en", {en, sizeof en}}, {"de", {de, sizeof de}}, {"fr", {fr, sizeof fr}},
  {"es", {es, sizeof es}}, {"nl", {nl, sizeof nl}}, {"ar", {ar, sizeof ar}},
};

embedded_text embedded_text_of(const char *language) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    if (strcmp(files[i].language, language) == 0) return files[i].text;
  }
  return (embedded_text){NULL, 0};
}

static const uint8_t numbering_plans[] = {
#embed "NumberingPlans/plans.txt"
};

embedded_text embedded_numbering_plans(void) {
  return (embedded_text){numbering_plans, sizeof numbering_plans};
}
