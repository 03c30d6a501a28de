
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
