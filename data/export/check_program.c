
enum { check_repeats = 7, check_most_samples = 4096, check_tensors = EXPORT_TENSORS };
static const double check_region_seconds = 0.020; /* at least, of one repeat */
static const double check_most_flops = 4e8;       /* above, a sample of the outputs is checked */

static void check_fail(const char *what) {
  fprintf(stderr, "check: %s\n", what);
  exit(1);
}

EXPORT_TEAM
/* --- what is called --- */

static struct {
  const LIBRARY_kernel *kernel;
  const void *first;
  const void *second;
  void *output;
  const void *packed[check_tensors]; /* [3] on: operands of an epilogue */
} check_called;

static void check_run_part(int part, int parts) {
  check_called.kernel->run(part, parts, check_called.first, check_called.second, check_called.output EXPORT_OPERANDS);
}

static void check_call(void) {
  EXPORT_CALL;
}

/* --- data --- */

static uint64_t check_bits(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void *check_memory(const LIBRARY_tensor *tensor, long long count) {
  const size_t bytes = ((size_t)count * (size_t)tensor->element_bytes + 63) / 64 * 64;
  void *memory = aligned_alloc(64, bytes);
  if (memory == NULL) check_fail("there is not enough memory");
  return memory;
}

static int check_is_float(const LIBRARY_tensor *tensor) {
  return tensor->element[0] == 'f' && tensor->element_bytes == 4;
}

/* f16 or bf16 */
static int check_is_half(const LIBRARY_tensor *tensor) {
  return tensor->element_bytes == 2;
}

/* The bits of a value between -1 and 1 that the type has exactly. Those of an f16 are those of a float of another
   exponent. */
static unsigned short check_half_bits(const LIBRARY_tensor *tensor, float value) {
  const int f16 = tensor->element[0] == 'f';
  const float stored = f16 ? fabsf(value) * 0x1p-112f : value;
  uint32_t bits;
  memcpy(&bits, &stored, sizeof bits);
  return (unsigned short)(f16 ? bits >> 13 | (value < 0 ? 0x8000u : 0u) : bits >> 16);
}

/* Uniform in [-1, 1), with as many bits as the type has for all of these values. */
static unsigned short check_random_half(const LIBRARY_tensor *tensor, uint64_t bits) {
  const int fraction_bits = tensor->element[0] == 'f' ? 10 : 7;
  return check_half_bits(tensor, (float)(bits >> (63 - fraction_bits)) / (float)(1 << fraction_bits) - 1.0f);
}

/* Any byte; one in four is the least or the largest of its type, so that what saturates in between is found. */
static int check_byte(uint64_t bits, int least) {
  if ((bits >> 60) % 4 == 0) return bits >> 32 & 1 ? least : least + 255;
  return least + (int)(bits >> 40 & 255);
}

/* Uniform in [-1, 1), or bytes; the same on every machine. */
static void *check_random(const LIBRARY_tensor *tensor, uint64_t seed) {
  void *values = check_memory(tensor, tensor->elements);
  uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (long long i = 0; i < tensor->elements; ++i) {
    const uint64_t bits = check_bits(&state);
    if (check_is_float(tensor))
      ((float *)values)[i] = (float)(bits >> 40) / (float)(1 << 23) - 1.0f;
    else if (check_is_half(tensor))
      ((unsigned short *)values)[i] = check_random_half(tensor, bits);
    else if (tensor->element_bytes > 1)
      ((int *)values)[i] = check_byte(bits, -128);
    else if (tensor->element[0] == 'u')
      ((unsigned char *)values)[i] = (unsigned char)check_byte(bits, 0);
    else
      ((signed char *)values)[i] = (signed char)check_byte(bits, -128);
  }
  return values;
}

static double check_value(const LIBRARY_tensor *tensor, const void *values, long long i) {
  if (check_is_float(tensor)) return (double)((const float *)values)[i];
  if (check_is_half(tensor)) {
    const unsigned short bits = ((const unsigned short *)values)[i];
    return tensor->element[0] == 'f' ? check_f16(bits) : check_bf16(bits);
  }
  if (tensor->element_bytes > 1) return (double)((const int *)values)[i];
  if (tensor->element[0] == 'u') return (double)((const unsigned char *)values)[i];
  return (double)((const signed char *)values)[i];
}

static void *check_packed(const LIBRARY_tensor *tensor, const void *plain) {
  void *packed = check_memory(tensor, tensor->packed_elements);
  LIBRARY_pack(tensor, plain, packed);
  return packed;
}

/* Before a call: what is not written stays no number, or one that no sum is likely to be. */
enum { check_unwritten_byte = 0x93 };

static void *check_unwritten(const LIBRARY_tensor *tensor) {
  void *packed = check_memory(tensor, tensor->packed_elements);
  memset(packed, check_is_float(tensor) ? 0xff : check_unwritten_byte,
         (size_t)tensor->packed_elements * (size_t)tensor->element_bytes);
  return packed;
}

static int check_is_written(const LIBRARY_tensor *tensor, const void *output, long long i) {
  if (check_is_float(tensor)) return isfinite(((const float *)output)[i]);
  const unsigned char *bytes = (const unsigned char *)output + i * tensor->element_bytes;
  for (int byte = 0; byte < tensor->element_bytes; ++byte)
    if (bytes[byte] != check_unwritten_byte) return 1;
  return 0;
}

/* --- comparing --- */

typedef struct check_result {
  long long checked;
  long long wrong;
  long long worst_position;
  double worst_expected;
  double worst_share; /* of the tolerance */
} check_result;

static void check_element(const check_case *c, long long number, const void *const *plain, const void *output,
                          check_result *result) {
  double magnitude = 0;
  long long position = 0;
  const double expected = c->expected(number, plain, &magnitude, &position);
  const double error = fabs(check_value(&c->kernel->tensors[2], output, position) - expected);
  const double allowed = c->absolute + c->relative * magnitude;
  const double share = allowed > 0 ? error / allowed : error == 0 ? 0 : INFINITY; /* integers are exact */
  /* A NaN is not right. */
  const int right = share <= 1;
  ++result->checked;
  if (!right) ++result->wrong;
  if (!(share <= result->worst_share) && !isnan(result->worst_share)) {
    result->worst_share = share;
    result->worst_position = position;
    result->worst_expected = expected;
  }
}

static check_result check_output(const check_case *c, const void *const *plain, const void *output) {
  check_result result = {0, 0, 0, 0, -1};
  const long long count = c->kernel->tensors[2].elements;
  if (c->kernel->flops <= check_most_flops || count <= check_most_samples) {
    for (long long i = 0; i < count; ++i) check_element(c, i, plain, output, &result);
    return result;
  }
  uint64_t state = 1;
  for (long long i = 0; i < check_most_samples; ++i) {
    const long long number = i == 0 ? 0 : i == 1 ? count - 1 : (long long)(check_bits(&state) % (uint64_t)count);
    check_element(c, number, plain, output, &result);
  }
  for (long long i = 0; i < count; ++i) {
    if (check_is_written(&c->kernel->tensors[2], output, i) || result.wrong++ > 0) continue;
    result.worst_position = i;
    result.worst_expected = NAN; /* not computed */
  }
  return result;
}

/* --- timing --- */

static double check_region(long long calls) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long long i = 0; i < calls; ++i) check_call();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static int check_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds of a call, ascending. */
static void check_time(double samples[check_repeats]) {
  long long calls = 1;
  double seconds = check_region(1);
  while (seconds < check_region_seconds / 4 && calls < 1000000000) {
    calls *= 4;
    seconds = check_region(calls);
  }
  const double wanted = check_region_seconds * 1.1 * (double)calls / (seconds > 0 ? seconds : 1e-9);
  calls = wanted < 1 ? 1 : (long long)wanted;
  for (int i = 0; i < check_repeats; ++i) samples[i] = check_region(calls) / (double)calls;
  qsort(samples, check_repeats, sizeof samples[0], check_ascending);
}

/* --- one kernel --- */

static void check_report_wrong(const check_case *c, const check_result *result, const void *output) {
  printf("%s: WRONG: %lld of %lld checked outputs, the worst at position %lld: %.9g instead of %.9g\n", c->kernel->name,
         result->wrong, result->checked, result->worst_position,
         check_value(&c->kernel->tensors[2], output, result->worst_position), result->worst_expected);
}

static void check_report_right(const check_case *c, const check_result *result, const double seconds[check_repeats]) {
  const double median = seconds[check_repeats / 2];
  printf("%s: right (%lld of %lld outputs, ", c->kernel->name, result->checked, c->kernel->tensors[2].elements);
  if (check_is_float(&c->kernel->tensors[2]))
    printf("worst error %.2g of the tolerance", result->worst_share);
  else
    printf("each exactly");
  printf("), %d threads: median %.4g us, minimum %.4g us, %.4g GFLOPS\n", team.parts, median * 1e6, seconds[0] * 1e6,
         c->kernel->flops / median / 1e9);
}

static int check_one(const check_case *c) {
  const LIBRARY_tensor *tensors = c->kernel->tensors;
  void *plain[check_tensors] = {NULL}, *packed[check_tensors] = {NULL};
  for (int i = 0; i < check_tensors; ++i) {
    if (i == 2 || tensors[i].name == NULL) continue;
    plain[i] = check_random(&tensors[i], (uint64_t)i + 1);
    packed[i] = check_packed(&tensors[i], plain[i]);
    check_called.packed[i] = packed[i];
  }
  void *output_packed = check_unwritten(&tensors[2]);
  void *output = check_memory(&tensors[2], tensors[2].elements);
  void *again = check_memory(&tensors[2], tensors[2].elements);
  check_called.kernel = c->kernel;
  check_called.first = packed[0];
  check_called.second = packed[1];
  check_called.output = output_packed;

  check_call();
  LIBRARY_unpack(&tensors[2], output_packed, output);
  const check_result result = check_output(c, (const void *const *)plain, output);
  int right = result.wrong == 0;
  if (!right) {
    check_report_wrong(c, &result, output);
  } else {
    double seconds[check_repeats];
    check_time(seconds);
    LIBRARY_unpack(&tensors[2], output_packed, again);
    right = memcmp(output, again, (size_t)tensors[2].elements * (size_t)tensors[2].element_bytes) == 0;
    if (right)
      check_report_right(c, &result, seconds);
    else
      printf("%s: WRONG: repeated calls give other outputs\n", c->kernel->name);
  }
  fflush(stdout);
  for (int i = 0; i < check_tensors; ++i) {
    free(plain[i]);
    free(packed[i]);
  }
  free(output_packed);
  free(output);
  free(again);
  return right;
}

EXPORT_CHECK_CONVERSION
int main(int argc, char **argv) {
  char *end = NULL;
  const long threads = argc > 1 ? strtol(argv[1], &end, 10) : team_processors();
  if (argc > 2 || (end != NULL && *end != '\0') || threads < 1 || threads > team_most_threads) {
    fprintf(stderr, "usage: %s [THREADS], 1 to %d\n", argv[0], team_most_threads);
    return 2;
  }
  team_start((int)threads);
  int wrong = 0;
  for (int i = 0; i < LIBRARY_kernel_count; ++i)
    if (!check_one(&check_cases[i])) wrong = 1;
  EXPORT_CONVERSIONS
  team_stop();
  return wrong;
}
