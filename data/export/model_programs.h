/*
 * Part of a model's library written by Kernelscape: what its programs share.
 *
 * NAME_reference.tensors has a header of 64 bytes, then random inputs and the outputs that Kernelscape
 * computed for them in double precision, each padded to 8 bytes.
 */
#ifndef LIBRARY_PROGRAMS_H
#define LIBRARY_PROGRAMS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "LIBRARY.h"

#ifndef MODEL_FOLDER
#define MODEL_FOLDER "."
#endif

/* A model with memory for its tensors. */
struct session {
  LIBRARY_model *model;
  int input_count;
  int output_count;
  LIBRARY_buffer *inputs;
  LIBRARY_buffer *outputs;
  LIBRARY_buffer *expected; /* outputs of the reference */
};

static void end_with(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(2);
}

/* Prints a tensor's name: what is no visible ASCII character could control a terminal. */
static inline void print_visible(const char *name) {
  for (; *name != '\0'; ++name) {
    const unsigned char byte = (unsigned char)*name;
    printf(byte >= ' ' && byte <= '~' ? "%c" : "\\x%02x", byte);
  }
}

static void *some_memory(size_t bytes) {
  void *memory = calloc(bytes > 0 ? bytes : 1, 1);
  if (memory == NULL) end_with("there is too little memory");
  return memory;
}

static void read_tensor(FILE *file, LIBRARY_buffer *buffer) {
  char padding[8];
  const size_t rest = (8 - buffer->bytes % 8) % 8;
  if (fread(buffer->data, 1, buffer->bytes, file) != buffer->bytes || fread(padding, 1, rest, file) != rest)
    end_with("the file of references is too short; copy it again");
}

static LIBRARY_buffer *make_buffers(int count, const LIBRARY_tensor *(*tensor)(int)) {
  LIBRARY_buffer *buffers = some_memory((size_t)count * sizeof *buffers);
  for (int i = 0; i < count; ++i) {
    buffers[i].bytes = tensor(i)->bytes;
    buffers[i].data = some_memory(buffers[i].bytes);
  }
  return buffers;
}

static struct session begin_session(const char *weights, const char *reference, int threads) {
  struct session s;
  const int error = LIBRARY_create(weights, threads, &s.model);
  if (error != LIBRARY_OK) {
    fprintf(stderr, "%s: %s\n", weights, LIBRARY_error_text(error));
    exit(2);
  }
  s.input_count = LIBRARY_input_count();
  s.output_count = LIBRARY_output_count();
  s.inputs = make_buffers(s.input_count, LIBRARY_input);
  s.outputs = make_buffers(s.output_count, LIBRARY_output);
  s.expected = make_buffers(s.output_count, LIBRARY_output);
  FILE *file = fopen(reference, "rb");
  char header[64];
  if (file == NULL || fread(header, 1, sizeof header, file) != sizeof header || memcmp(header, "KSTENSOR", 8) != 0)
    end_with("the file of references cannot be read; pass it with --reference FILE");
  for (int i = 0; i < s.input_count; ++i) read_tensor(file, &s.inputs[i]);
  for (int i = 0; i < s.output_count; ++i) read_tensor(file, &s.expected[i]);
  fclose(file);
  return s;
}

static void run_once(struct session *s) {
  const int error = LIBRARY_run(s->model, s->inputs, s->input_count, s->outputs, s->output_count);
  if (error != LIBRARY_OK) end_with(LIBRARY_error_text(error));
}

static void free_buffers(LIBRARY_buffer *buffers, int count) {
  for (int i = 0; i < count; ++i) free(buffers[i].data);
  free(buffers);
}

static void end_session(struct session *s) {
  LIBRARY_destroy(s->model);
  free_buffers(s->inputs, s->input_count);
  free_buffers(s->outputs, s->output_count);
  free_buffers(s->expected, s->output_count);
}

/* Options of every program: --weights FILE --reference FILE --threads N; the others are the program's own. */
struct options {
  const char *weights;
  const char *reference;
  int threads;
};

static int take_option(struct options *options, int count, char **arguments, int *i) {
  if (*i + 1 >= count) return 0;
  const char *value = arguments[*i + 1];
  if (strcmp(arguments[*i], "--weights") == 0)
    options->weights = value;
  else if (strcmp(arguments[*i], "--reference") == 0)
    options->reference = value;
  else if (strcmp(arguments[*i], "--threads") == 0)
    options->threads = atoi(value);
  else
    return 0;
  ++*i;
  return 1;
}

/* --- what only some of the programs use --- */

/* Seconds since the first call: a double has steps of 240 ns where seconds are many. */
static inline double now_seconds(void) {
  static time_t first;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  if (first == 0) first = time.tv_sec;
  return (double)(time.tv_sec - first) + 1e-9 * (double)time.tv_nsec;
}

static inline int ascending(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void sort_samples(double *samples, long count) {
  qsort(samples, (size_t)count, sizeof *samples, ascending);
}

static inline double element(const LIBRARY_tensor *tensor, const void *data, size_t i) {
  if (strcmp(tensor->type, "f32") == 0) return ((const float *)data)[i];
  if (strcmp(tensor->type, "f64") == 0) return ((const double *)data)[i];
  if (strcmp(tensor->type, "i8") == 0) return ((const int8_t *)data)[i];
  if (strcmp(tensor->type, "i32") == 0) return ((const int32_t *)data)[i];
  if (strcmp(tensor->type, "i64") == 0) return (double)((const int64_t *)data)[i];
  return ((const unsigned char *)data)[i];
}

/*
 * |y - r| / |r| in the Euclidean norm, in which equal infinities and two elements that are no numbers do not
 * differ; not a number where an element of one alone is none.
 */
static inline double relative_error(const LIBRARY_tensor *tensor, const void *data, const void *expected) {
  size_t count = 1;
  for (int d = 0; d < tensor->rank; ++d) count *= (size_t)tensor->shape[d];
  double difference = 0;
  double size = 0;
  for (size_t i = 0; i < count; ++i) {
    const double y = element(tensor, data, i);
    const double r = element(tensor, expected, i);
    if (y == r || (isnan(y) && isnan(r))) {
      size += isfinite(r) ? r * r : 0;
      continue;
    }
    difference += (y - r) * (y - r);
    size += r * r;
  }
  if (difference == 0) return 0;
  return size > 0 ? sqrt(difference / size) : HUGE_VAL;
}

#endif

