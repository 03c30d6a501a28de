/*
 * Part of a model's library written by Kernelscape: measures the latency of the model.
 *
 *   bench [--threads N] [--seconds S] [--steps] [--json] [--weights FILE] [--reference FILE]
 *
 * After a warm-up of a tenth of the time the model runs again and again; the median and the quartiles of one
 * run are printed. --steps adds the steps that take the longest, and the sums of the kinds of steps; with --json,
 * the seconds of every step in their order.
 */
#include "LIBRARY_programs.h"

enum { max_samples = 1000000, max_steps_shown = 20 };

static long measure(struct session *s, double seconds, double *samples) {
  long count = 0;
  const double end = now_seconds() + seconds;
  do {
    const double before = now_seconds();
    run_once(s);
    samples[count++] = now_seconds() - before;
  } while (now_seconds() < end && count < max_samples);
  return count;
}

/* The mean seconds of each step in one run; their number is step_count(). */
static double *time_steps(struct session *s, double seconds, int count) {
  double *times = some_memory((size_t)(count > 0 ? count : 1) * sizeof *times);
  LIBRARY_time_steps(s->model, times);
  long runs = 0;
  for (const double end = now_seconds() + seconds; runs == 0 || now_seconds() < end; ++runs) run_once(s);
  LIBRARY_time_steps(s->model, NULL);
  for (int i = 0; i < count; ++i) times[i] /= (double)runs;
  return times;
}

static int step_count(void) {
  int count = 0;
  while (LIBRARY_step(count) != NULL) ++count;
  return count;
}

static double sum_of_kind(const double *times, const char *kind) {
  double sum = 0;
  for (int i = 0; LIBRARY_step(i) != NULL; ++i)
    if (strcmp(LIBRARY_step_kind(i), kind) == 0) sum += times[i];
  return sum;
}

static void print_steps(double *times, int count) {
  const char *const kinds[] = {"layer", "operator", "conversion"};
  double all = 0;
  for (int i = 0; i < count; ++i) all += times[i];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const double sum = sum_of_kind(times, kinds[i]);
    printf("%10.1f us %5.1f %%  all %ss\n", sum * 1e6, all > 0 ? 100 * sum / all : 0, kinds[i]);
  }
  for (int shown = 0; shown < max_steps_shown && shown < count; ++shown) {
    int largest = 0;
    for (int i = 1; i < count; ++i)
      if (times[i] > times[largest]) largest = i;
    printf("%10.1f us %5.1f %%  %s\n", times[largest] * 1e6, all > 0 ? 100 * times[largest] / all : 0,
           LIBRARY_step(largest));
    times[largest] = -1;
  }
}

int main(int count, char **arguments) {
  struct options options = {MODEL_FOLDER "/EXPORT_WEIGHTS", MODEL_FOLDER "/EXPORT_REFERENCE", 2};
  double seconds = 2;
  int json = 0;
  int steps = 0;
  for (int i = 1; i < count; ++i) {
    if (take_option(&options, count, arguments, &i)) continue;
    if (strcmp(arguments[i], "--seconds") == 0 && i + 1 < count)
      seconds = atof(arguments[++i]);
    else if (strcmp(arguments[i], "--json") == 0)
      json = 1;
    else if (strcmp(arguments[i], "--steps") == 0)
      steps = 1;
    else
      end_with("bench [--threads N] [--seconds S] [--steps] [--json] [--weights FILE] [--reference FILE]");
  }
  struct session s = begin_session(options.weights, options.reference, options.threads);
  double *samples = some_memory(max_samples * sizeof *samples);
  measure(&s, seconds / 10, samples);
  const long runs = measure(&s, seconds, samples);
  sort_samples(samples, runs);
  const double first = samples[runs / 4];
  const double median = samples[runs / 2];
  const double third = samples[runs * 3 / 4];
  const int threads = LIBRARY_threads(s.model);
  double *times = steps ? time_steps(&s, seconds, step_count()) : NULL;
  if (json) {
    printf(
        "{\"threads\": %d, \"runs\": %ld, \"median_seconds\": %.9g, \"first_quartile_seconds\": %.9g, "
        "\"third_quartile_seconds\": %.9g, \"minimum_seconds\": %.9g",
        threads, runs, median, first, third, samples[0]);
    if (steps) {
      printf(", \"layer_seconds\": %.9g, \"operator_seconds\": %.9g, \"conversion_seconds\": %.9g",
             sum_of_kind(times, "layer"), sum_of_kind(times, "operator"), sum_of_kind(times, "conversion"));
      printf(", \"step_seconds\": [");
      for (int i = 0; i < step_count(); ++i) printf("%s%.6g", i > 0 ? ", " : "", times[i]);
      printf("]");
    }
    printf("}\n");
  } else {
    printf("%.4f ms  [%.4f, %.4f]  median and quartiles of %ld runs, %d threads\n", median * 1e3, first * 1e3,
           third * 1e3, runs, threads);
    if (steps) print_steps(times, step_count());
  }
  free(times);
  free(samples);
  end_session(&s);
  return 0;
}
