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

/*
 * The operators as plain loops in double precision: output element `number` counts the spatial axes, `plain` has the
 * plain inputs by the numbers of their tensors, `position` is the element's place in the plain output, `magnitude` is
 * what errors are relative to: the sum of |products|, carried through the steps of an epilogue.
 */

