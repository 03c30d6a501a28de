/*
 * Part of a model's library written by Kernelscape: compares the model's outputs with stored references.
 *
 *   check [--threads N] [--tolerance X] [--weights FILE] [--reference FILE]
 *
 * The error of an output is |y - r| / |r| in the Euclidean norm, in which equal infinities and two elements
 * that are no numbers do not differ. The exit code is 0 if every error is within
 * the tolerance, 1 if one is not, and 2 if the model cannot run.
 */
#include "LIBRARY_programs.h"

int main(int count, char **arguments) {
  struct options options = {MODEL_FOLDER "/EXPORT_WEIGHTS", MODEL_FOLDER "/EXPORT_REFERENCE", 2};
  double tolerance = EXPORT_TOLERANCE;
  for (int i = 1; i < count; ++i) {
    if (take_option(&options, count, arguments, &i)) continue;
    if (strcmp(arguments[i], "--tolerance") == 0 && i + 1 < count)
      tolerance = atof(arguments[++i]);
    else
      end_with("check [--threads N] [--tolerance X] [--weights FILE] [--reference FILE]");
  }
  struct session s = begin_session(options.weights, options.reference, options.threads);
  run_once(&s);
  int failed = 0;
  for (int i = 0; i < s.output_count; ++i) {
    const double error = relative_error(LIBRARY_output(i), s.outputs[i].data, s.expected[i].data);
    const int bad = !(error <= tolerance);
    printf("%s  output %d  ", bad ? "FAILED" : "ok    ", i);
    print_visible(LIBRARY_output(i)->name);
    printf("  relative error %.3g, at most %.3g\n", error, tolerance);
    failed |= bad;
  }
  end_session(&s);
  return failed;
}
