
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
