
/* A processor for each thread; none: they run where they like. */
static struct {
  int count;
  int numbers[team_most_threads];
} team_places;
