#pragma once

#include "core/base/written.h"

namespace kernelscape {

/** How many threads a team has. */
inline constexpr Literal team_size_text = R"(
enum { team_most_threads = 1024 };

static int team_processors(void) {
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
#endif
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}
)";

/** Processors for threads that stay in their places, as while kernels are timed: where new threads may
 * wander, two can share a processor for longer than a pass takes. */
inline constexpr Literal team_places_text = R"(
/* A processor for each thread; none: they run where they like. */
static struct {
  int count;
  int numbers[team_most_threads];
} team_places;
)";

/** Of a team of its own, behind its places: what a thread does when it begins. */
inline constexpr Literal bound_threads_text = R"(
#ifdef __linux__
static cpu_set_t team_usable; /* before the first thread went to its place */
#endif

static void team_settle(int part) {
#ifdef __linux__
  if (part >= team_places.count) return;
  if (part == 0) pthread_getaffinity_np(pthread_self(), sizeof team_usable, &team_usable);
  cpu_set_t place;
  CPU_ZERO(&place);
  CPU_SET(team_places.numbers[part], &place);
  pthread_setaffinity_np(pthread_self(), sizeof place, &place);
#else
  (void)part;
#endif
}

/* Threads that other libraries start would stand where this one stands. */
static void team_leave(void) {
#ifdef __linux__
  if (team_places.count > 0) pthread_setaffinity_np(pthread_self(), sizeof team_usable, &team_usable);
#endif
}
)";

/** The same of threads that run where they like. */
inline constexpr Literal free_threads_text = R"(
static void team_settle(int part) { (void)part; }
static void team_leave(void) {}
)";

/** A team of threads of its own, behind one of the two above. */
inline constexpr Literal own_team_text = R"(
/* --- threads: part i on thread i, this one being the first --- */

static struct {
  int parts;
  int spins; /* before a waiting thread lets others run */
  void (*work)(int part, int parts);
  atomic_uint round;
  atomic_uint finished;
  atomic_int stopping;
  pthread_t threads[team_most_threads];
} team;

static void team_wait(atomic_uint *value, unsigned old) {
  for (int i = 0; atomic_load_explicit(value, memory_order_acquire) == old; ++i) {
    if (i < team.spins) continue;
    sched_yield();
    i = team.spins;
  }
}

static void *team_serve(void *argument) {
  const int part = (int)(intptr_t)argument;
  team_settle(part);
  for (unsigned seen = 0;; ++seen) {
    team_wait(&team.round, seen);
    if (atomic_load(&team.stopping)) return NULL;
    team.work(part, team.parts);
    atomic_fetch_add(&team.finished, 1);
  }
}

static void team_call(void (*work)(int part, int parts)) {
  const unsigned others = (unsigned)team.parts - 1;
  team.work = work;
  atomic_store(&team.finished, 0);
  atomic_fetch_add(&team.round, 1);
  work(0, team.parts);
  for (unsigned done = atomic_load(&team.finished); done != others; done = atomic_load(&team.finished))
    team_wait(&team.finished, done);
}

static void team_start(int parts) {
  team.parts = parts;
  team.spins = parts <= team_processors() ? 20000 : 0;
  atomic_store(&team.round, 0);
  atomic_store(&team.stopping, 0);
  team_settle(0);
  for (int part = 1; part < parts; ++part) {
    if (pthread_create(&team.threads[part], NULL, team_serve, (void *)(intptr_t)part) == 0) continue;
    fputs("a thread cannot be started; use fewer\n", stderr);
    exit(1);
  }
}

static void team_stop(void) {
  atomic_store(&team.stopping, 1);
  atomic_fetch_add(&team.round, 1);
  for (int part = 1; part < team.parts; ++part) pthread_join(team.threads[part], NULL);
  team_leave();
}
)";

/** A team of the threads that oneDNN has: others would wait busily on the same processors. */
inline constexpr Literal openmp_team_text = R"(
/* --- threads: OpenMP's, as oneDNN's are --- */

static struct {
  int parts;
} team;

static void team_call(void (*work)(int part, int parts)) {
#pragma omp parallel num_threads(team.parts)
  work(omp_get_thread_num(), omp_get_num_threads());
}

static void team_start(int parts) {
  team.parts = parts;
  omp_set_num_threads(parts);
}

static void team_stop(void) {}
)";

/** The offset of a plain element in a packed tensor, element by element. */
inline constexpr Literal offset_text = R"(
/** Where the element with this row-major number lies. */
static long long offset_of(const @L@_tensor *tensor, long long element) {
  long long offset = 0;
  for (int d = 0; d < tensor->dimension_count; ++d) {
    const @L@_dimension *dimension = &tensor->dimensions[d];
    long long index = element;
    for (int i = tensor->rank - 1; i > dimension->source; --i) index /= tensor->shape[i];
    index %= tensor->shape[dimension->source];
    offset = offset * dimension->extent + index / dimension->divisor % dimension->extent;
  }
  return offset;
}
)";

}  // namespace kernelscape
