#pragma once

#include <QDir>
#include <stdexcept>

#include "tests/exchange/export_support.h"

namespace kernelscape::exchange_tests {

/** The part of onnxruntime's C API that exported programs use, written after its documentation. */
inline constexpr const char* stub_onnxruntime_header = R"(
#include <stddef.h>
#include <stdint.h>
#define ORT_API_VERSION 21
typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtSession OrtSession;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtValue OrtValue;
typedef enum { ORT_LOGGING_LEVEL_ERROR = 3 } OrtLoggingLevel;
typedef enum { ORT_SEQUENTIAL = 0, ORT_PARALLEL = 1 } ExecutionMode;
typedef enum { OrtDeviceAllocator = 0, OrtArenaAllocator = 1 } OrtAllocatorType;
typedef enum { OrtMemTypeDefault = 0 } OrtMemType;
typedef enum {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11
} ONNXTensorElementDataType;
typedef struct OrtApi {
  const char *(*GetErrorMessage)(const OrtStatus *);
  void (*ReleaseStatus)(OrtStatus *);
  OrtStatus *(*CreateEnv)(OrtLoggingLevel, const char *, OrtEnv **);
  void (*ReleaseEnv)(OrtEnv *);
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  void (*ReleaseSessionOptions)(OrtSessionOptions *);
  OrtStatus *(*SetIntraOpNumThreads)(OrtSessionOptions *, int);
  OrtStatus *(*SetInterOpNumThreads)(OrtSessionOptions *, int);
  OrtStatus *(*SetSessionExecutionMode)(OrtSessionOptions *, ExecutionMode);
  OrtStatus *(*CreateSession)(const OrtEnv *, const char *, const OrtSessionOptions *, OrtSession **);
  void (*ReleaseSession)(OrtSession *);
  OrtStatus *(*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType, OrtMemoryInfo **);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo *);
  OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *, void *, size_t, const int64_t *, size_t,
                                               ONNXTensorElementDataType, OrtValue **);
  void (*ReleaseValue)(OrtValue *);
  OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *, const char *const *, const OrtValue *const *, size_t,
                    const char *const *, size_t, OrtValue **);
} OrtApi;
typedef struct OrtApiBase {
  const OrtApi *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;
const OrtApiBase *OrtGetApiBase(void);
)";

/**
 * A library with these functions. Its "model" is the file of references of an exported library: a run checks
 * the inputs against those of the file and copies its outputs. The file "log" in the current folder gets the
 * options of the session, and the names, types and shapes of the first run, each with a 0 at its end.
 * If STUB_OLD is set, the library is too old.
 */
inline constexpr const char* stub_onnxruntime_source = R"(
#include <onnxruntime_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct OrtStatus { const char *message; };
struct OrtEnv { int unused; };
struct OrtMemoryInfo { int unused; };
struct OrtSessionOptions { int intra, inter, mode; };
struct OrtSession { char *file; long size; int runs; };
struct OrtValue { char *data; size_t bytes; int type; size_t rank; int64_t shape[8]; };

static OrtStatus *problem(const char *message) {
  OrtStatus *status = malloc(sizeof *status);
  status->message = message;
  return status;
}
static const char *get_message(const OrtStatus *status) { return status->message; }
static void release_status(OrtStatus *status) { free(status); }
static OrtStatus *create_environment(OrtLoggingLevel level, const char *name, OrtEnv **out) {
  (void)level, (void)name;
  return *out = calloc(1, sizeof **out), NULL;
}
static void release_environment(OrtEnv *environment) { free(environment); }
static OrtStatus *create_options(OrtSessionOptions **out) { return *out = calloc(1, sizeof **out), NULL; }
static void release_options(OrtSessionOptions *options) { free(options); }
static OrtStatus *set_intra(OrtSessionOptions *options, int threads) { return options->intra = threads, NULL; }
static OrtStatus *set_inter(OrtSessionOptions *options, int threads) { return options->inter = threads, NULL; }
static OrtStatus *set_mode(OrtSessionOptions *options, ExecutionMode mode) { return options->mode = mode, NULL; }
static OrtStatus *create_session(const OrtEnv *environment, const char *path, const OrtSessionOptions *options,
                                 OrtSession **out) {
  (void)environment;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return problem("the stub cannot open the model");
  OrtSession *session = calloc(1, sizeof *session);
  fseek(file, 0, SEEK_END);
  session->size = ftell(file);
  session->file = malloc((size_t)session->size);
  rewind(file);
  if (fread(session->file, 1, (size_t)session->size, file) != (size_t)session->size) return problem("unread");
  fclose(file);
  FILE *log = fopen("log", "wb");
  fprintf(log, "intra %d inter %d mode %d", options->intra, options->inter, options->mode);
  fputc(0, log);
  fclose(log);
  *out = session;
  return NULL;
}
static void release_session(OrtSession *session) {
  free(session->file);
  free(session);
}
static OrtStatus *create_memory(OrtAllocatorType allocator, OrtMemType memory, OrtMemoryInfo **out) {
  (void)allocator, (void)memory;
  return *out = calloc(1, sizeof **out), NULL;
}
static void release_memory(OrtMemoryInfo *memory) { free(memory); }
static OrtStatus *create_tensor(const OrtMemoryInfo *memory, void *data, size_t bytes, const int64_t *shape,
                                size_t rank, ONNXTensorElementDataType type, OrtValue **out) {
  (void)memory;
  OrtValue *value = calloc(1, sizeof *value);
  value->data = data;
  value->bytes = bytes;
  value->type = type;
  value->rank = rank;
  memcpy(value->shape, shape, rank * sizeof *shape);
  *out = value;
  return NULL;
}
static void release_value(OrtValue *value) { free(value); }
static void note(FILE *log, const char *name, const OrtValue *value) {
  fputs(name, log);
  fputc(0, log);
  fprintf(log, "type %d shape", value->type);
  for (size_t d = 0; d < value->rank; ++d) fprintf(log, " %lld", (long long)value->shape[d]);
  fputc(0, log);
}
static OrtStatus *run(OrtSession *session, const OrtRunOptions *options, const char *const *input_names,
                      const OrtValue *const *inputs, size_t input_count, const char *const *output_names,
                      size_t output_count, OrtValue **outputs) {
  (void)options;
  const int first = session->runs++ == 0;
  FILE *log = first ? fopen("log", "ab") : NULL;
  const char *next = session->file + 64;
  for (size_t i = 0; i < input_count; next += (inputs[i++]->bytes + 7) / 8 * 8) {
    if (first) note(log, input_names[i], inputs[i]);
    if (memcmp(next, inputs[i]->data, inputs[i]->bytes) != 0) return problem("the stub got other inputs");
  }
  for (size_t i = 0; i < output_count; next += (outputs[i++]->bytes + 7) / 8 * 8) {
    if (first) note(log, output_names[i], outputs[i]);
    memcpy(outputs[i]->data, next, outputs[i]->bytes);
  }
  if (first) fclose(log);
  return NULL;
}

static const OrtApi api = {get_message, release_status, create_environment, release_environment, create_options,
                           release_options, set_intra, set_inter, set_mode, create_session, release_session,
                           create_memory, release_memory, create_tensor, release_value, run};
static const OrtApi *get_api(uint32_t version) {
  return version == ORT_API_VERSION && getenv("STUB_OLD") == NULL ? &api : NULL;
}
static const char *get_version(void) { return "0.0-stub"; }
static const OrtApiBase base = {get_api, get_version};
const OrtApiBase *OrtGetApiBase(void) { return &base; }
)";

/** Installs the stub below a folder, as a prefix that CMake searches. */
inline void install_stub_onnxruntime(const QString& prefix) {
  if (!QDir().mkpath(prefix + "/include/onnxruntime") || !QDir().mkpath(prefix + "/lib"))
    throw std::runtime_error("the folder of the stub cannot be made");
  write_text(prefix + "/include/onnxruntime/onnxruntime_c_api.h", stub_onnxruntime_header);
  write_text(prefix + "/stub.c", stub_onnxruntime_source);
  const ShellResult built =
      shell(prefix, "cc -shared -fPIC -Wall -Iinclude/onnxruntime -o lib/libonnxruntime.so stub.c");
  if (built.code != 0) throw std::runtime_error(built.output);
}

}  // namespace kernelscape::exchange_tests
