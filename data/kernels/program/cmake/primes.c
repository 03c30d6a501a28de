/* Counts the primes below a number on all processors. */
#include <stdio.h>
#include <stdlib.h>

static int is_prime(int n) {
  if (n < 4) return n > 1;
#if WHEEL == 6
  if (n % 2 == 0 || n % 3 == 0) return 0;
  for (int d = 5; d * d <= n; d += 6) {
    if (n % d == 0 || n % (d + 2) == 0) return 0;
  }
#elif WHEEL == 2
  if (n % 2 == 0) return 0;
  for (int d = 3; d * d <= n; d += 2) {
    if (n % d == 0) return 0;
  }
#else
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return 0;
  }
#endif
  return 1;
}

int main(int argc, char** argv) {
  const int end = argc > 1 ? atoi(argv[1]) : 500000;
  int primes = 0;
  /* How many numbers a thread takes at once is in the variable OMP_SCHEDULE. */
#pragma omp parallel for schedule(runtime) reduction(+ : primes)
  for (int n = 2; n < end; ++n) primes += is_prime(n);
  printf("primes: %d\n", primes);
  return 0;
}
