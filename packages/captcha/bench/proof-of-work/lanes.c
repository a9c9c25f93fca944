/*
 * The attacker of `proof-of-work.mjs`: scrypt (RFC 7914, r = 8) of eight proofs at once in AVX2 registers, a lane for
 * each. A page has no such registers without WebAssembly. The part before and after (PBKDF2 with one iteration) is left
 * out, a thousandth of the time, so the attacker is a little faster than a real one.
 *
 * Prints the processor time of one evaluation, in milliseconds, for n = argv[1]. Exits with 1 if a lane differs from a
 * plain evaluation.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LANES 8
#define R 8
#define WORDS (32 * R)
#define ROUNDS 5

typedef uint32_t lanes __attribute__((vector_size(32), aligned(32)));

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER(z, a, b, c, d)      \
  z[b] ^= ROTATE(z[a] + z[d], 7);   \
  z[c] ^= ROTATE(z[b] + z[a], 9);   \
  z[d] ^= ROTATE(z[c] + z[b], 13);  \
  z[a] ^= ROTATE(z[d] + z[c], 18);

/* Salsa20/8 and the shuffled mixing of a block (RFC 7914, 3 and 4), for any type of word. */
#define DEFINE_MIX(NAME, WORD)                                                          \
  static void NAME(const WORD *block, WORD *out) {                                      \
    WORD x[16], z[16];                                                                  \
    memcpy(x, block + 16 * (2 * R - 1), sizeof x);                                      \
    for (int i = 0; i < 2 * R; i++) {                                                   \
      for (int k = 0; k < 16; k++) z[k] = x[k] = x[k] ^ block[16 * i + k];              \
      for (int round = 0; round < 4; round++) {                                         \
        QUARTER(z, 0, 4, 8, 12) QUARTER(z, 5, 9, 13, 1)                                 \
        QUARTER(z, 10, 14, 2, 6) QUARTER(z, 15, 3, 7, 11)                               \
        QUARTER(z, 0, 1, 2, 3) QUARTER(z, 5, 6, 7, 4)                                   \
        QUARTER(z, 10, 11, 8, 9) QUARTER(z, 15, 12, 13, 14)                             \
      }                                                                                 \
      for (int k = 0; k < 16; k++) x[k] += z[k];                                        \
      memcpy(out + 16 * ((i & 1) * R + (i >> 1)), x, sizeof x);                         \
    }                                                                                   \
  }

DEFINE_MIX(mix_lanes, lanes)
DEFINE_MIX(mix_plain, uint32_t)

#define PICK(a, b, ...) __builtin_shuffle(a, b, (lanes){__VA_ARGS__})

/* Eight words of eight lanes become eight lanes of eight words, and back. */
static inline void transpose(lanes *m) {
  lanes t[8], u[8];
  for (int i = 0; i < 4; i++) {
    t[2 * i] = PICK(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[2 * i + 1] = PICK(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      u[4 * i + k] = PICK(t[4 * i + k], t[4 * i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 + k] = PICK(t[4 * i + k], t[4 * i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int k = 0; k < 4; k++) {
    m[k] = PICK(u[k], u[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
    m[4 + k] = PICK(u[k], u[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

static void evaluate_lanes(lanes *block, uint32_t n, uint32_t *memory) {
  static lanes other[WORDS];
  lanes *a = block, *b = other;
  for (uint32_t i = 0; i < n; i++) {
    for (int group = 0; group < WORDS; group += 8) {
      lanes m[8];
      memcpy(m, a + group, sizeof m);
      transpose(m);
      for (int l = 0; l < LANES; l++) memcpy(memory + ((size_t)l * n + i) * WORDS + group, &m[l], sizeof m[l]);
    }
    mix_lanes(a, b);
    lanes *swap = a;
    a = b;
    b = swap;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t *from[LANES];
    lanes last = a[16 * (2 * R - 1)];
    for (int l = 0; l < LANES; l++) {
      from[l] = memory + ((size_t)l * n + (last[l] & (n - 1))) * WORDS;
      for (int line = 0; line < WORDS; line += 16) __builtin_prefetch(from[l] + line);
    }
    for (int group = 0; group < WORDS; group += 8) {
      lanes m[8];
      for (int l = 0; l < LANES; l++) memcpy(&m[l], from[l] + group, sizeof m[l]);
      transpose(m);
      for (int k = 0; k < 8; k++) a[group + k] ^= m[k];
    }
    mix_lanes(a, b);
    lanes *swap = a;
    a = b;
    b = swap;
  }
  if (a != block) memcpy(block, a, sizeof other);
}

static void evaluate_plain(uint32_t *block, uint32_t n, uint32_t *memory) {
  uint32_t mixed[WORDS];
  for (uint32_t i = 0; i < 2 * n; i++) {
    uint32_t *row = memory + (size_t)(i < n ? i : block[16 * (2 * R - 1)] & (n - 1)) * WORDS;
    if (i < n) memcpy(row, block, sizeof mixed);
    else for (int k = 0; k < WORDS; k++) block[k] ^= row[k];
    mix_plain(block, mixed);
    memcpy(block, mixed, sizeof mixed);
  }
}

static double millis(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
  uint32_t n = count > 1 ? (uint32_t)atoi(arguments[1]) : 4096;
  size_t size = (size_t)LANES * n * WORDS * sizeof(uint32_t);
  uint32_t *memory = aligned_alloc(64, size);
  static lanes block[WORDS], begin[WORDS];
  if (memory == NULL || n < 2 || (n & (n - 1)) != 0) return 2;
  memset(memory, 1, size);
  for (int k = 0; k < WORDS; k++)
    for (int l = 0; l < LANES; l++) begin[k][l] = block[k][l] = (uint32_t)k * 2654435761u + (uint32_t)l * 40503u;

  evaluate_lanes(block, n, memory);
  for (int l = 0; l < LANES; l++) {
    uint32_t plain[WORDS];
    for (int k = 0; k < WORDS; k++) plain[k] = begin[k][l];
    evaluate_plain(plain, n, memory);
    for (int k = 0; k < WORDS; k++)
      if (plain[k] != block[k][l]) return 1;
  }

  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    double begun = millis();
    for (int i = 0; i < 8; i++) evaluate_lanes(block, n, memory);
    double each = (millis() - begun) / 8 / LANES;
    if (each < best) best = each;
  }
  printf("%.4f\n", best);
  return 0;
}
