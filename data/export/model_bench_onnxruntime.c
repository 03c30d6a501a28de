/*
 * Part of a model's library written by Kernelscape: measures the model beside onnxruntime, in one process.
 *
 *   bench_onnxruntime MODEL.onnx [--threads N] [--seconds S] [--tolerance X] [--json] [--library FILE]
 *                     [--weights FILE] [--reference FILE]
 *
 * Both compute the same stored inputs with the same number of threads, into memory of this program. onnxruntime
 * has its CPU provider and default optimizations, executes operators one after the other (inter_op 1) and lets
 * its threads spin as it does by default. First the outputs are compared: |y - v| / |v| in the Euclidean norm.
 *
 * Then both run in turns: in each round each side once untimed, then for 50 ms. The side that begins changes
 * from round to round, and a turn begins when the other side's threads no longer use the processor. The ratio
 * of a round is that of its two medians; the interval for the median of these ratios is the one of order
 * statistics with a coverage of at least 95 %, which assumes no distribution.
 *
 * The exit code is 0, 1 if outputs differ by more than the tolerance (nothing is timed then), and 2 if one side
 * cannot run.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <onnxruntime_c_api.h>
#include <unistd.h>

#include "LIBRARY_programs.h"

#ifndef ONNXRUNTIME_PATH
#define ONNXRUNTIME_PATH "libonnxruntime.so"
#endif

enum { max_rounds = 1000, min_rounds = 6, max_samples_of_turn = 2500 };

static const double turn_seconds = 0.05;
static const double sample_seconds = 20e-6; /* max_samples_of_turn of these are a turn */

/* --- onnxruntime --- */

static const OrtApi *ort;
static const char *version;

struct vendor {
  OrtEnv *environment;
  OrtSessionOptions *options;
  OrtSession *session;
  OrtMemoryInfo *memory;
  const char **input_names;
  const char **output_names;
  OrtValue **inputs;
  OrtValue **outputs;
  LIBRARY_buffer *output_data;
};

static void demand(OrtStatus *status) {
  if (status == NULL) return;
  fprintf(stderr, "onnxruntime: %s\n", ort->GetErrorMessage(status));
  ort->ReleaseStatus(status);
  exit(2);
}

static ONNXTensorElementDataType element_type(const LIBRARY_tensor *tensor) {
  if (strcmp(tensor->type, "f32") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  if (strcmp(tensor->type, "f64") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
  if (strcmp(tensor->type, "i8") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8;
  if (strcmp(tensor->type, "u8") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
  if (strcmp(tensor->type, "i32") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  if (strcmp(tensor->type, "i64") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  if (strcmp(tensor->type, "bool") == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
  fprintf(stderr, "a tensor is of type %s, which this program cannot pass to onnxruntime\n", tensor->type);
  exit(2);
}

static OrtValue *make_value(const OrtMemoryInfo *memory, const LIBRARY_tensor *tensor, const LIBRARY_buffer *buffer) {
  int64_t *shape = some_memory((size_t)tensor->rank * sizeof *shape);
  for (int d = 0; d < tensor->rank; ++d) shape[d] = tensor->shape[d];
  OrtValue *value = NULL;
  demand(ort->CreateTensorWithDataAsOrtValue(memory, buffer->data, buffer->bytes, shape, (size_t)tensor->rank,
                                             element_type(tensor), &value));
  free(shape);
  return value;
}

static void make_values(const struct vendor *v, const LIBRARY_tensor *(*tensor)(int), const LIBRARY_buffer *buffers,
                        int count, const char **names, OrtValue **values) {
  for (int i = 0; i < count; ++i) {
    names[i] = tensor(i)->name;
    values[i] = make_value(v->memory, tensor(i), &buffers[i]);
  }
}

static void load_onnxruntime(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const OrtApiBase *(*find_base)(void) = NULL;
  if (library != NULL) *(void **)&find_base = dlsym(library, "OrtGetApiBase");
  if (find_base == NULL) {
    fprintf(stderr, "onnxruntime cannot be loaded (%s); pass its file with --library FILE\n", dlerror());
    exit(2);
  }
  version = find_base()->GetVersionString();
  ort = find_base()->GetApi(ORT_API_VERSION);
  if (ort == NULL) end_with("the installed onnxruntime is older than the one of the build; build this program again");
}

/*
 * Loads the model with standard error discarded: Debian's build prints a line for each of ONNX's operators then.
 * Errors come as a status.
 */
static OrtStatus *create_session(struct vendor *v, const char *model) {
  fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (kept >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  OrtStatus *status = ort->CreateSession(v->environment, model, v->options, &v->session);
  if (kept >= 0) dup2(kept, STDERR_FILENO);
  close(kept);
  close(nowhere);
  return status;
}

static struct vendor begin_vendor(const struct session *s, const char *model, int threads) {
  struct vendor v = {0};
  demand(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &v.environment));
  demand(ort->CreateSessionOptions(&v.options));
  demand(ort->SetIntraOpNumThreads(v.options, threads));
  demand(ort->SetInterOpNumThreads(v.options, 1));
  demand(ort->SetSessionExecutionMode(v.options, ORT_SEQUENTIAL));
  demand(create_session(&v, model));
  demand(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &v.memory));
  v.input_names = some_memory((size_t)s->input_count * sizeof *v.input_names);
  v.output_names = some_memory((size_t)s->output_count * sizeof *v.output_names);
  v.inputs = some_memory((size_t)s->input_count * sizeof *v.inputs);
  v.outputs = some_memory((size_t)s->output_count * sizeof *v.outputs);
  v.output_data = make_buffers(s->output_count, LIBRARY_output);
  make_values(&v, LIBRARY_input, s->inputs, s->input_count, v.input_names, v.inputs);
  make_values(&v, LIBRARY_output, v.output_data, s->output_count, v.output_names, v.outputs);
  return v;
}

static void run_vendor(const struct session *s, struct vendor *v) {
  demand(ort->Run(v->session, NULL, v->input_names, (const OrtValue *const *)v->inputs, (size_t)s->input_count,
                  v->output_names, (size_t)s->output_count, v->outputs));
}

static void end_vendor(const struct session *s, struct vendor *v) {
  for (int i = 0; i < s->input_count; ++i) ort->ReleaseValue(v->inputs[i]);
  for (int i = 0; i < s->output_count; ++i) ort->ReleaseValue(v->outputs[i]);
  ort->ReleaseMemoryInfo(v->memory);
  ort->ReleaseSession(v->session);
  ort->ReleaseSessionOptions(v->options);
  ort->ReleaseEnv(v->environment);
  free_buffers(v->output_data, s->output_count);
  free(v->input_names);
  free(v->output_names);
  free(v->inputs);
  free(v->outputs);
}

/* --- outputs --- */

/* Returns the largest error; prints those above the tolerance. */
static double compare_outputs(const struct session *s, const struct vendor *v, double tolerance) {
  double largest = 0;
  for (int i = 0; i < s->output_count; ++i) {
    const double error = relative_error(LIBRARY_output(i), s->outputs[i].data, v->output_data[i].data);
    if (!(error <= largest)) largest = isnan(error) ? HUGE_VAL : error;
    if (error <= tolerance) continue;
    fprintf(stderr,
            "FAILED  output %d  relative error %.3g, at most %.3g; onnxruntime's own error against the stored "
            "reference is %.3g\n",
            i, error, tolerance, relative_error(LIBRARY_output(i), v->output_data[i].data, s->expected[i].data));
  }
  return largest;
}

/* --- rounds --- */

/* Interpolates between sorted samples. */
static double quantile(const double *sorted, long count, double share) {
  const double place = share * (double)(count - 1);
  const long below = (long)place;
  const long above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

/* All samples of a side, those of a turn one after the other. */
struct samples {
  double *seconds;
  long count;
};

/* Waits until the threads of this process sleep, at most two seconds. */
static void wait_until_quiet(void) {
  const double end = now_seconds() + 2;
  for (double begin = now_seconds(); begin < end;) {
    const clock_t used = clock();
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    const double after = now_seconds();
    if ((double)(clock() - used) / CLOCKS_PER_SEC < 0.2 * (after - begin)) return;
    begin = after;
  }
}

/* Returns the seconds of a run: of one, or the mean of several if one is too short for the clock. */
static double take_sample(struct session *s, struct vendor *v) {
  const double begin = now_seconds();
  double seconds = 0;
  int runs = 0;
  do {
    if (v == NULL)
      run_once(s);
    else
      run_vendor(s, v);
    ++runs;
    seconds = now_seconds() - begin;
  } while (seconds < sample_seconds);
  return seconds / runs;
}

/* Runs one side for a turn, onnxruntime if there is a vendor, and returns the median of the turn. */
static double take_turn(struct session *s, struct vendor *v, struct samples *samples) {
  wait_until_quiet();
  double *turn = samples->seconds + samples->count;
  long count = 0;
  take_sample(s, v);
  const double end = now_seconds() + turn_seconds;
  do {
    turn[count++] = take_sample(s, v);
  } while (now_seconds() < end && count < max_samples_of_turn);
  samples->count += count;
  sort_samples(turn, count);
  return quantile(turn, count, 0.5);
}

struct interval {
  double low;
  double high;
  double coverage;
};

/*
 * Returns the shortest interval of order statistics that covers the median with a probability of at least 95 %: the
 * k-th smallest and the k-th largest of n leave it out with 2 P(B < k), where B is binomial with n and 1/2.
 */
static struct interval median_interval(const double *sorted, int count) {
  double term = 1;
  for (int i = 0; i < count; ++i) term /= 2;
  struct interval found = {sorted[0], sorted[count - 1], 1 - 2 * term};
  double left = term;
  for (int k = 2; 2 * k <= count; ++k) {
    term *= (double)(count - k + 2) / (k - 1);
    left += term;
    if (2 * left > 0.05) break;
    found = (struct interval){sorted[k - 1], sorted[count - k], 1 - 2 * left};
  }
  return found;
}

struct result {
  int threads;
  int rounds;
  double error;
  double ours[3]; /* quartiles, the median in the middle */
  double vendors[3];
  double ratio;
  struct interval interval;
};

static void take_quartiles(struct samples *samples, double *quartiles) {
  sort_samples(samples->seconds, samples->count);
  for (int i = 0; i < 3; ++i) quartiles[i] = quantile(samples->seconds, samples->count, 0.25 * (i + 1));
}

static void measure(struct session *s, struct vendor *v, double seconds, struct result *result) {
  const size_t bytes = (size_t)max_rounds * max_samples_of_turn * sizeof(double);
  struct samples ours = {some_memory(bytes), 0};
  struct samples vendors = {some_memory(bytes), 0};
  static double ratios[max_rounds];
  int rounds = 0;
  const double end = now_seconds() + seconds;
  while (rounds < max_rounds && (rounds < min_rounds || now_seconds() < end)) {
    const int vendor_begins = rounds % 2;
    double medians[2];
    medians[vendor_begins] = take_turn(s, vendor_begins ? v : NULL, vendor_begins ? &vendors : &ours);
    medians[!vendor_begins] = take_turn(s, vendor_begins ? NULL : v, vendor_begins ? &ours : &vendors);
    ratios[rounds++] = medians[0] / medians[1];
  }
  take_quartiles(&ours, result->ours);
  take_quartiles(&vendors, result->vendors);
  result->rounds = rounds;
  sort_samples(ratios, rounds);
  result->ratio = quantile(ratios, rounds, 0.5);
  result->interval = median_interval(ratios, rounds);
  free(ours.seconds);
  free(vendors.seconds);
}

static void print_json_times(const char *prefix, const double *quartiles) {
  printf(", \"%smedian_seconds\": %.9g, \"%sfirst_quartile_seconds\": %.9g, \"%sthird_quartile_seconds\": %.9g", prefix,
         quartiles[1], prefix, quartiles[0], prefix, quartiles[2]);
}

static void print_json(const struct result *r) {
  printf("{\"vendor\": \"onnxruntime %s\", \"threads\": %d, \"rounds\": %d, \"relative_error\": %.6g", version,
         r->threads, r->rounds, r->error);
  print_json_times("", r->ours);
  print_json_times("vendor_", r->vendors);
  printf(", \"ratio\": %.6g, \"ratio_low\": %.6g, \"ratio_high\": %.6g, \"ratio_coverage\": %.4g}\n", r->ratio,
         r->interval.low, r->interval.high, r->interval.coverage);
}

static void print_times(const char *name, const double *quartiles) {
  printf("%-20s %.4f ms  [%.4f, %.4f]\n", name, quartiles[1] * 1e3, quartiles[0] * 1e3, quartiles[2] * 1e3);
}

static void print_text(const struct result *r) {
  char name[64];
  snprintf(name, sizeof name, "onnxruntime %s", version);
  printf("outputs agree: the largest relative error is %.3g\n", r->error);
  printf("medians and quartiles of one run, %d threads, %d rounds in turns:\n", r->threads, r->rounds);
  print_times("this library", r->ours);
  print_times(name, r->vendors);
  printf(
      "this library / onnxruntime  %.4f  [%.4f, %.4f]: median of the rounds' ratios, order-statistics interval of "
      "%.1f %%\n",
      r->ratio, r->interval.low, r->interval.high, 100 * r->interval.coverage);
}

/* --- the program --- */

struct request {
  struct options options;
  const char *library;
  const char *model;
  double seconds;
  double tolerance;
  int json;
};

static struct request read_request(int count, char **arguments) {
  struct request r = {{MODEL_FOLDER "/EXPORT_WEIGHTS", MODEL_FOLDER "/EXPORT_REFERENCE", 2},
                      ONNXRUNTIME_PATH,
                      NULL,
                      10,
                      EXPORT_TOLERANCE,
                      0};
  int wrong = 0;
  for (int i = 1; i < count; ++i) {
    if (take_option(&r.options, count, arguments, &i)) continue;
    if (strcmp(arguments[i], "--seconds") == 0 && i + 1 < count)
      r.seconds = atof(arguments[++i]);
    else if (strcmp(arguments[i], "--tolerance") == 0 && i + 1 < count)
      r.tolerance = atof(arguments[++i]);
    else if (strcmp(arguments[i], "--library") == 0 && i + 1 < count)
      r.library = arguments[++i];
    else if (strcmp(arguments[i], "--json") == 0)
      r.json = 1;
    else if (r.model == NULL && strncmp(arguments[i], "--", 2) != 0)
      r.model = arguments[i];
    else
      wrong = 1;
  }
  if (r.model == NULL || wrong)
    end_with(
        "bench_onnxruntime MODEL.onnx [--threads N] [--seconds S] [--tolerance X] [--json] [--library FILE] "
        "[--weights FILE] [--reference FILE]");
  return r;
}

int main(int count, char **arguments) {
  const struct request request = read_request(count, arguments);
  load_onnxruntime(request.library);
  struct session s = begin_session(request.options.weights, request.options.reference, request.options.threads);
  struct result result = {.threads = LIBRARY_threads(s.model)};
  struct vendor v = begin_vendor(&s, request.model, result.threads);
  run_once(&s);
  run_vendor(&s, &v);
  result.error = compare_outputs(&s, &v, request.tolerance);
  const int agree = result.error <= request.tolerance;
  if (agree) {
    measure(&s, &v, request.seconds, &result);
    if (request.json)
      print_json(&result);
    else
      print_text(&result);
  } else {
    fputs("nothing was timed, because the outputs differ: run check to see which side is wrong\n", stderr);
  }
  end_vendor(&s, &v);
  end_session(&s);
  return !agree;
}
