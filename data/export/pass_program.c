
enum { pass_most_rounds = 1000 };

static float *pass_arena;
static float *pass_weights[pass_call_count][2];

static struct {
  const LIBRARY_kernel *kernel;
  const LIBRARY_conversion *conversion;
  const float *first;
  const float *second;
  float *output;
} pass_now;

static void pass_run_part(int part, int parts) {
  pass_now.kernel->run(part, parts, pass_now.first, pass_now.second, pass_now.output);
}

static void pass_call_kernel(void) {
  EXPORT_CALL;
}

static void pass_convert_part(int part, int parts) {
  pass_now.conversion->run(part, parts, pass_now.first, pass_now.output);
}

static double pass_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- data --- */

/* Uniform in [-scale, scale): results neither grow nor fade from layer to layer. */
static float *pass_random(long long count, float scale, uint64_t seed) {
  float *floats = aligned_alloc(64, ((size_t)count * sizeof(float) + 63) / 64 * 64);
  if (floats == NULL) {
    fputs("pass: there is not enough memory\n", stderr);
    exit(1);
  }
  uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (long long i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    floats[i] = ((float)(state >> 40) / (float)(1 << 23) - 1.0f) * scale;
  }
  return floats;
}

static void pass_prepare(void) {
  pass_arena = pass_random(pass_arena_floats > 0 ? pass_arena_floats : 1, 1.0f, 0);
  for (int i = 0; i < pass_call_count; ++i) {
    const LIBRARY_kernel *kernel = &LIBRARY_kernels[pass_calls[i].kernel];
    const double sums = kernel->flops / 2 / (double)kernel->tensors[2].elements;
    for (int operand = 0; operand < 2; ++operand)
      if (pass_calls[i].constant[operand])
        pass_weights[i][operand] = pass_random(kernel->tensors[operand].packed_elements,
                                               (float)sqrt(3 / (sums > 1 ? sums : 1)), (uint64_t)(2 * i + operand));
  }
}

static void pass_flush_memory(const float *memory, long long count) {
#if defined(__x86_64__)
  for (long long i = 0; i < count; i += 16) __builtin_ia32_clflush(memory + i);
  __builtin_ia32_mfence();
#else
  enum { other_bytes = 256 << 20 };
  static char *other;
  if (other == NULL) other = calloc(other_bytes, 1);
  for (size_t i = 0; other != NULL && i < other_bytes; i += 64) ++((volatile char *)other)[i];
  (void)memory;
  (void)count;
#endif
}

static void pass_flush(void) {
  pass_flush_memory(pass_arena, pass_arena_floats);
  for (int i = 0; i < pass_call_count; ++i)
    for (int operand = 0; operand < 2; ++operand)
      if (pass_weights[i][operand] != NULL)
        pass_flush_memory(pass_weights[i][operand],
                          LIBRARY_kernels[pass_calls[i].kernel].tensors[operand].packed_elements);
}

/* --- a pass --- */

static int pass_convert(int done, int until, double *seconds) {
  if (done == until) return done;
  const double begin = pass_seconds();
  for (; done < until; ++done) {
    pass_now.conversion = &LIBRARY_conversions[pass_conversions[done].conversion];
    pass_now.first = pass_arena + pass_conversions[done].from;
    pass_now.output = pass_arena + pass_conversions[done].to;
    team_call(pass_convert_part);
  }
  *seconds += pass_seconds() - begin;
  return done;
}

static double pass_run(double *conversion_seconds) {
  *conversion_seconds = 0;
  int converted = 0;
  const double begin = pass_seconds();
  for (int i = 0; i < pass_call_count; ++i) {
    const pass_call *call = &pass_calls[i];
    converted = pass_convert(converted, call->conversions, conversion_seconds);
    pass_now.kernel = &LIBRARY_kernels[call->kernel];
    pass_now.first = call->constant[0] ? pass_weights[i][0] : pass_arena + call->operands[0];
    pass_now.second = call->constant[1] ? pass_weights[i][1] : pass_arena + call->operands[1];
    pass_now.output = pass_arena + call->output;
    pass_call_kernel();
  }
  pass_convert(converted, pass_conversion_count, conversion_seconds);
  return pass_seconds() - begin;
}

/* --- rounds --- */

typedef struct pass_samples {
  double seconds[pass_most_rounds];
  double converting[pass_most_rounds];
} pass_samples;

static pass_samples pass_ours;
#ifdef PASS_ONEDNN
static pass_samples pass_vendor;
#endif

static void pass_round(int round, int threads) {
  team_start(threads);
  double unused = 0;
  if (round == 0) pass_run(&unused);
  pass_flush();
  pass_ours.seconds[round] = pass_run(&pass_ours.converting[round]);
  team_stop();
#ifdef PASS_ONEDNN
  if (round == 0) pass_vendor_run(&unused);
  pass_vendor_flush();
  pass_vendor.seconds[round] = pass_vendor_run(&pass_vendor.converting[round]);
  /* Its threads wait busily for a moment. */
  const struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
#endif
}

static int pass_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double pass_median(const double *samples, int count) {
  static double sorted[pass_most_rounds];
  memcpy(sorted, samples, (size_t)count * sizeof(double));
  qsort(sorted, (size_t)count, sizeof(double), pass_ascending);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void pass_list(const char *name, const double *samples, int count) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < count; ++i) printf("%s%.9g", i > 0 ? ", " : "", samples[i]);
  printf("]");
}

static void pass_tell_json(int rounds, int threads, const char *vendor_problem) {
  printf("{\"threads\": %d, \"calls\": %d, \"conversions\": %d", threads, pass_call_count, pass_conversion_count);
  pass_list("seconds", pass_ours.seconds, rounds);
  pass_list("conversion_seconds", pass_ours.converting, rounds);
#ifdef PASS_ONEDNN
  if (vendor_problem == NULL) {
    printf(", \"vendor\": \"%s\", \"vendor_conversions\": %d", pass_vendor_name(), pass_vendor_reorders());
    pass_list("vendor_seconds", pass_vendor.seconds, rounds);
    pass_list("vendor_conversion_seconds", pass_vendor.converting, rounds);
  }
#endif
  if (vendor_problem != NULL) printf(", \"vendor_problem\": \"%s\"", vendor_problem);
  printf("}\n");
}

static void pass_tell(int rounds, int threads, const char *vendor_problem) {
  const double ours = pass_median(pass_ours.seconds, rounds);
  printf("%d calls, %d threads, weights cold, median of %d passes\n", pass_call_count, threads, rounds);
  printf("this library: %.4g ms, of which %d layout conversions %.3g ms\n", ours * 1e3, pass_conversion_count,
         pass_median(pass_ours.converting, rounds) * 1e3);
  if (vendor_problem != NULL) printf("oneDNN: %s\n", vendor_problem);
#ifdef PASS_ONEDNN
  if (vendor_problem != NULL) return;
  const double vendor = pass_median(pass_vendor.seconds, rounds);
  printf("%s: %.4g ms, of which %d reorders %.3g ms\n", pass_vendor_name(), vendor * 1e3, pass_vendor_reorders(),
         pass_median(pass_vendor.converting, rounds) * 1e3);
  printf("oneDNN / this library: %.3f\n", vendor / ours);
#endif
}

/* The processors that may be used, before a library binds this thread to one of them. */
static void pass_find_places(void) {
  team_places.count = 0;
#ifdef __linux__
  const char *told = getenv("PASS_PROCESSORS");
  if (told != NULL) {
    char *next = NULL;
    for (; *told != '\0' && team_places.count < team_most_threads; told = *next == ',' ? next + 1 : next) {
      const long number = strtol(told, &next, 10);
      if (next == told || number < 0 || number >= CPU_SETSIZE) break;
      team_places.numbers[team_places.count++] = (int)number;
    }
    return;
  }
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  for (int number = 0; number < CPU_SETSIZE && team_places.count < team_most_threads; ++number)
    if (CPU_ISSET(number, &usable)) team_places.numbers[team_places.count++] = number;
#endif
}

/* OpenMP, oneDNN's threads, reads their number and whether they stay in their places when the program starts. */
static void pass_start_again(char **arguments, int threads) {
#if defined(PASS_ONEDNN) || defined(_OPENMP)
  if (getenv("PASS_PROCESSORS") != NULL) return;
  char number[16];
  snprintf(number, sizeof number, "%d", threads);
  setenv("OMP_NUM_THREADS", number, 1);
  setenv("OMP_DYNAMIC", "false", 1);
  setenv("OMP_PROC_BIND", threads <= team_places.count ? "true" : "false", 1);
  static char places[8 * team_most_threads];
  size_t length = 0;
  for (int i = 0; i < team_places.count; ++i)
    length += (size_t)snprintf(places + length, sizeof places - length, i > 0 ? ",%d" : "%d", team_places.numbers[i]);
  setenv("PASS_PROCESSORS", places, 1);
  execv("/proc/self/exe", arguments);
  team_places.count = 0;
#endif
  (void)arguments;
  (void)threads;
}

static long pass_number(const char *text, long most) {
  char *end = NULL;
  const long number = strtol(text, &end, 10);
  return *text == '\0' || *end != '\0' || number < 1 || number > most ? 0 : number;
}

int main(int argc, char **argv) {
  int json = 0;
  pass_find_places();
  long rounds = 15, threads = team_places.count > 0 ? team_places.count : team_processors();
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0)
      json = 1;
    else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = pass_number(argv[++i], pass_most_rounds);
    else
      threads = pass_number(argv[i], team_most_threads);
  }
  if (rounds == 0 || threads == 0) {
    fprintf(stderr, "usage: %s [--json] [--rounds N] [THREADS]: 1 to %d rounds, 1 to %d threads\n", argv[0],
            pass_most_rounds, team_most_threads);
    return 2;
  }
  pass_start_again(argv, (int)threads);
  if (threads > team_places.count) team_places.count = 0;
  pass_prepare();
#ifdef PASS_ONEDNN
  const char *vendor_problem = pass_vendor_prepare();
#else
  const char *vendor_problem = "it was not found when this program was built";
#endif
  for (int round = 0; round < rounds; ++round) pass_round(round, (int)threads);
  if (json)
    pass_tell_json((int)rounds, (int)threads, vendor_problem);
  else
    pass_tell((int)rounds, (int)threads, vendor_problem);
  return 0;
}
