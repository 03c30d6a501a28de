/*
 * Part of a model's library written by Kernelscape: the model EXPORT_MODEL.
 *
 * A model is created from its file of weights, runs any number of times, and is destroyed. Functions return
 * LIBRARY_OK or another code of LIBRARY_error. A model may be used by one thread at a time.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum LIBRARY_error {
  LIBRARY_OK = 0,
  LIBRARY_NO_FILE = 1,      /* the file of weights cannot be read */
  LIBRARY_NO_WEIGHTS = 2,   /* the file is no file of weights, or one of another version */
  LIBRARY_OTHER_MODEL = 3,  /* the weights belong to another library */
  LIBRARY_DAMAGED = 4,      /* the file is too short, or its checksum is wrong */
  LIBRARY_NO_MEMORY = 5,    /* too little memory */
  LIBRARY_NO_THREAD = 6,    /* a thread cannot be started */
  LIBRARY_BAD_ARGUMENT = 7, /* a null pointer, a wrong number of tensors, or fewer threads than 1 */
  LIBRARY_WRONG_SIZE = 8    /* a tensor has other bytes than its shape needs */
};

/** A tensor that the caller passes: row-major elements. */
typedef struct LIBRARY_tensor {
  const char *name; /* as in the model, in UTF-8 */
  const char *type; /* "f32" (float), "f64" (double), "i8", "u8", "i32", "i64", "bool" (unsigned char) */
  int rank;
  const long long *shape;
  size_t bytes;
} LIBRARY_tensor;

/** Memory of a tensor; `bytes` is checked against its shape. */
typedef struct LIBRARY_buffer {
  void *data; /* only read for an input */
  size_t bytes;
} LIBRARY_buffer;

typedef struct LIBRARY_model LIBRARY_model;

int LIBRARY_input_count(void);
int LIBRARY_output_count(void);
/** The tensor at a position from 0 on; null if there is none. */
const LIBRARY_tensor *LIBRARY_input(int position);
const LIBRARY_tensor *LIBRARY_output(int position);
/** The position of a tensor; -1 if there is none of that name. */
int LIBRARY_find_input(const char *name);
int LIBRARY_find_output(const char *name);

/** Reads the weights and starts threads - 1 threads, at most one for each processor. */
int LIBRARY_create(const char *path_of_weights, int threads, LIBRARY_model **model);
/** The number of threads that compute the model, with the caller's. */
int LIBRARY_threads(const LIBRARY_model *model);
/** Computes all outputs from all inputs, each in the model's order. */
int LIBRARY_run(LIBRARY_model *model, const LIBRARY_buffer *inputs, int input_count, const LIBRARY_buffer *outputs,
                int output_count);
/** Ends the threads and frees all memory; null is allowed. */
void LIBRARY_destroy(LIBRARY_model *model);
/** A sentence about a code, which is never null. */
const char *LIBRARY_error_text(int error);

/** What a step of the model computes; null at the end. */
const char *LIBRARY_step(int position);
/** The kind of a step: "layer" (a convolution or multiplication), "operator", "conversion" (of a memory layout). */
const char *LIBRARY_step_kind(int position);
/** Adds the seconds of each step to `seconds` in all further runs; null ends it. */
void LIBRARY_time_steps(LIBRARY_model *model, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
