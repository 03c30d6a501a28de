
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
