/*
 * Runs the kernels of LIBRARY.h as the network EXPORT_NETWORK calls them, and times the whole.
 *
 *   ./pass [--json] [--rounds N] [THREADS]      15 rounds on all processors, unless told otherwise
 *
 * A pass makes all calls in their order on one arena of memory. EXPORT_ORDER
 * Weights and arena are flushed from the caches before each pass. What the network computes beside these layers is
 * left out EXPORT_OTHERS; where it would stand between two layers, the second one reads whatever its memory
 * holds. Where pass_onednn.cpp was built in, a pass of oneDNN over the same layers takes turns with ours, and lacks
 * the same.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
EXPORT_OPENMP
#include "LIBRARY.h"

#ifdef PASS_ONEDNN
/* What is wrong with it, or null. */
const char *pass_vendor_prepare(void);
const char *pass_vendor_name(void);
int pass_vendor_reorders(void);
void pass_vendor_flush(void);
/* Seconds of a pass. */
double pass_vendor_run(double *reorder_seconds);
#endif

/* Offsets into the arena, in floats. */
typedef struct pass_conversion {
  int conversion;
  long long from;
  long long to;
} pass_conversion;

/* A call of a kernel, after the conversions up to `conversions`; weights of its own where an operand is constant. */
typedef struct pass_call {
  int kernel;
  int conversions;
  int constant[2];
  long long operands[2];
  long long output;
} pass_call;

enum { pass_call_count = EXPORT_CALLS, pass_conversion_count = EXPORT_CONVERSIONS };
static const long long pass_arena_floats = EXPORT_ARENA;

