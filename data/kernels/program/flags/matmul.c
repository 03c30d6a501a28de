/* Multiplies two matrices in plain loops, and prints how long that took: what flags make of them is tuned. */
#include <stdio.h>
#include <time.h>

enum { n = 256, passes = 4 };
static double a[n][n], b[n][n], c[n][n];

int main(int argc, char** argv) {
  struct timespec start, end;
  double sum = 0;
  (void)argv;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i][j] = b[i][j] = argc;
  }
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) c[i][j] = 0;
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) sum += c[i][j];
  }
  const double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  printf("time: %.6f ms\nsum: %.0f\n", 1e3 * seconds / passes, sum);
  return 0;
}
