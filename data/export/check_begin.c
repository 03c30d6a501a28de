/*
 * Checks the kernels of LIBRARY.h and times them.
 *
 *   ./check [THREADS]        all processors, unless told otherwise
 *
 * One line per kernel; exit code 1 where one is wrong, 2 for wrong usage.
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

/* The value of an f16, of which `bits` are stored. */
static double check_f16(unsigned short bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = fraction == 0 ? INFINITY : NAN;
  if (exponent < 31) value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

/* The value of a bf16: its bits are the upper half of those of a float. */
static double check_bf16(unsigned short bits) {
  const uint32_t all = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &all, sizeof value);
  return (double)value;
}

/*
 * The operators as plain loops in double precision: output element `number` counts the spatial axes, `plain` has the
 * plain inputs by the numbers of their tensors, `position` is the element's place in the plain output, `magnitude` is
 * what errors are relative to: the sum of |products|, carried through the steps of an epilogue.
 */

