/*
 * Part of a model's library written by Kernelscape: the steps of the model EXPORT_MODEL.
 *
 * Every step is computed by all threads, each with its part; a step begins when the one before it is done.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "LIBRARY.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef LIBRARY_NO_THREADS
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#endif

#include "LIBRARY_operators.h"

/* What the steps of one run read and write. */
struct run {
  unsigned char *arena;
  const unsigned char *weights;
  const void *const *inputs;
};

typedef void step_function(const struct run *run, int part, int parts);

