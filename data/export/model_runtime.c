
/* --- threads: part i on thread i, the caller being the first --- */

struct LIBRARY_model {
  struct run run;
  unsigned char *weights;
  const void *inputs[LIBRARY_inputs_size];
  int parts;
  double *seconds; /* of each step; null: not measured */
#ifndef LIBRARY_NO_THREADS
  int spins; /* before a waiting thread lets others run */
  int started;
  int stopping;
  unsigned round; /* of runs; guarded by the mutex */
  atomic_uint published_round;
  atomic_uint arrived;
  atomic_uint phase;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_t *threads;
#endif
};

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifndef LIBRARY_NO_THREADS

static void wait_a_moment(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Returns when all threads have called it. */
static void join_threads(LIBRARY_model *model) {
  const unsigned phase = atomic_load_explicit(&model->phase, memory_order_relaxed);
  if (atomic_fetch_add(&model->arrived, 1) + 1 == (unsigned)model->parts) {
    atomic_store_explicit(&model->arrived, 0, memory_order_relaxed);
    atomic_store(&model->phase, phase + 1);
    return;
  }
  for (int i = 0; atomic_load_explicit(&model->phase, memory_order_acquire) == phase;) {
    if (i < model->spins) {
      ++i;
      wait_a_moment();
    } else {
      sched_yield();
    }
  }
}

#else

static void join_threads(LIBRARY_model *model) {
  (void)model;
}

#endif

static void execute(LIBRARY_model *model, int part) {
  double *seconds = part == 0 ? model->seconds : NULL;
  double before = seconds == NULL ? 0 : now_seconds();
  for (int i = 0; i < LIBRARY_steps_size; ++i) {
    model_steps[i](&model->run, part, model->parts);
    if (model->parts > 1) join_threads(model);
    if (seconds == NULL) continue;
    const double after = now_seconds();
    seconds[i] += after - before;
    before = after;
  }
}

#ifndef LIBRARY_NO_THREADS

struct thread_start {
  LIBRARY_model *model;
  int part;
};

static void *serve(void *argument) {
  const struct thread_start start = *(struct thread_start *)argument;
  LIBRARY_model *model = start.model;
  free(argument);
  unsigned seen = 0;
  for (;;) {
    for (int i = 0; i < model->spins && atomic_load_explicit(&model->published_round, memory_order_acquire) == seen;
         ++i)
      wait_a_moment();
    pthread_mutex_lock(&model->mutex);
    while (model->round == seen && !model->stopping) pthread_cond_wait(&model->changed, &model->mutex);
    seen = model->round;
    const int stopping = model->stopping;
    pthread_mutex_unlock(&model->mutex);
    if (stopping) return NULL;
    execute(model, start.part);
  }
}

static void announce(LIBRARY_model *model, int stopping) {
  pthread_mutex_lock(&model->mutex);
  model->stopping = stopping;
  ++model->round;
  atomic_store_explicit(&model->published_round, model->round, memory_order_release);
  pthread_cond_broadcast(&model->changed);
  pthread_mutex_unlock(&model->mutex);
}

static int usable_processors(void) {
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
#endif
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

static int start_threads(LIBRARY_model *model, int threads) {
  const int processors = usable_processors();
  model->spins = 20000;
  if (pthread_mutex_init(&model->mutex, NULL) != 0) return LIBRARY_NO_THREAD;
  if (pthread_cond_init(&model->changed, NULL) != 0) {
    pthread_mutex_destroy(&model->mutex);
    return LIBRARY_NO_THREAD;
  }
  model->parts = threads < processors ? threads : processors; /* stop_threads() ends what exists from here on */
  model->threads = calloc((size_t)model->parts, sizeof *model->threads);
  int error = model->threads == NULL ? LIBRARY_NO_MEMORY : LIBRARY_OK;
  for (int part = 1; error == LIBRARY_OK && part < model->parts; ++part) {
    struct thread_start *start = malloc(sizeof *start);
    if (start == NULL) {
      error = LIBRARY_NO_MEMORY;
      break;
    }
    start->model = model;
    start->part = part;
    if (pthread_create(&model->threads[model->started], NULL, serve, start) != 0) {
      free(start);
      error = LIBRARY_NO_THREAD;
      break;
    }
    ++model->started;
  }
  return error;
}

static void stop_threads(LIBRARY_model *model) {
  if (model->parts == 0) return;
  announce(model, 1);
  for (int i = 0; i < model->started; ++i) pthread_join(model->threads[i], NULL);
  free(model->threads);
  pthread_cond_destroy(&model->changed);
  pthread_mutex_destroy(&model->mutex);
}

#else

static void announce(LIBRARY_model *model, int stopping) {
  (void)model;
  (void)stopping;
}

static int start_threads(LIBRARY_model *model, int threads) {
  (void)threads;
  model->parts = 1;
  return LIBRARY_OK;
}

static void stop_threads(LIBRARY_model *model) {
  (void)model;
}

#endif

/* --- the file of weights: a header of 64 bytes, then the tensors --- */

struct file_header {
  char magic[8];
  uint32_t version;
  uint32_t unused;
  uint64_t bytes;
  uint64_t checksum;
  uint64_t rest[4];
};

static uint64_t checksum_of(const unsigned char *data, uint64_t bytes) {
  uint64_t sum = 0x9e3779b97f4a7c15u;
  for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word;
    memcpy(&word, data + i, 8);
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 29;
  }
  return sum;
}

static void *line_memory(size_t bytes) {
  return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

static int read_weights(const char *path, unsigned char **weights) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return LIBRARY_NO_FILE;
  struct file_header header;
  int error = LIBRARY_OK;
  if (fread(&header, sizeof header, 1, file) != 1 || memcmp(header.magic, "KSTENSOR", 8) != 0 || header.version != 1)
    error = LIBRARY_NO_WEIGHTS;
  else if (header.bytes != weights_bytes || header.checksum != weights_checksum)
    error = LIBRARY_OTHER_MODEL;
  else if ((*weights = line_memory(weights_bytes)) == NULL)
    error = LIBRARY_NO_MEMORY;
  else if (fread(*weights, 1, weights_bytes, file) != weights_bytes ||
           checksum_of(*weights, weights_bytes) != weights_checksum)
    error = LIBRARY_DAMAGED;
  fclose(file);
  return error;
}

/* --- what the caller sees --- */

int LIBRARY_create(const char *path_of_weights, int threads, LIBRARY_model **model) {
  if (path_of_weights == NULL || threads < 1 || model == NULL) return LIBRARY_BAD_ARGUMENT;
  *model = NULL;
  LIBRARY_model *made = calloc(1, sizeof *made);
  if (made == NULL) return LIBRARY_NO_MEMORY;
  int error = read_weights(path_of_weights, &made->weights);
  if (error == LIBRARY_OK) {
    made->run.weights = made->weights;
    made->run.inputs = made->inputs;
    made->run.arena = line_memory(arena_bytes);
    error = made->run.arena == NULL ? LIBRARY_NO_MEMORY : start_threads(made, threads);
  }
  if (error == LIBRARY_OK)
    *model = made;
  else
    LIBRARY_destroy(made);
  return error;
}

int LIBRARY_threads(const LIBRARY_model *model) {
  return model->parts;
}

void LIBRARY_destroy(LIBRARY_model *model) {
  if (model == NULL) return;
  stop_threads(model);
  free(model->run.arena);
  free(model->weights);
  free(model);
}

int LIBRARY_run(LIBRARY_model *model, const LIBRARY_buffer *inputs, int input_count, const LIBRARY_buffer *outputs,
                int output_count) {
  if (model == NULL || input_count != LIBRARY_input_count() || output_count != LIBRARY_output_count() ||
      (inputs == NULL && input_count > 0) || (outputs == NULL && output_count > 0))
    return LIBRARY_BAD_ARGUMENT;
  for (int i = 0; i < input_count; ++i) {
    if (inputs[i].data == NULL) return LIBRARY_BAD_ARGUMENT;
    if (inputs[i].bytes != LIBRARY_input(i)->bytes) return LIBRARY_WRONG_SIZE;
    model->inputs[i] = inputs[i].data;
  }
  for (int i = 0; i < output_count; ++i) {
    if (outputs[i].data == NULL) return LIBRARY_BAD_ARGUMENT;
    if (outputs[i].bytes != LIBRARY_output(i)->bytes) return LIBRARY_WRONG_SIZE;
  }
  if (model->parts > 1) announce(model, 0);
  execute(model, 0);
  for (int i = 0; i < output_count; ++i) memcpy(outputs[i].data, output_address(&model->run, i), outputs[i].bytes);
  return LIBRARY_OK;
}

const LIBRARY_tensor *LIBRARY_input(int position) {
  return position < 0 || position >= LIBRARY_input_count() ? NULL : &model_inputs[position];
}

const LIBRARY_tensor *LIBRARY_output(int position) {
  return position < 0 || position >= LIBRARY_output_count() ? NULL : &model_outputs[position];
}

static int find_tensor(const LIBRARY_tensor *tensors, int count, const char *name) {
  for (int i = 0; name != NULL && i < count; ++i)
    if (strcmp(tensors[i].name, name) == 0) return i;
  return -1;
}

int LIBRARY_find_input(const char *name) {
  return find_tensor(model_inputs, LIBRARY_input_count(), name);
}

int LIBRARY_find_output(const char *name) {
  return find_tensor(model_outputs, LIBRARY_output_count(), name);
}

const char *LIBRARY_step(int position) {
  return position < 0 || position >= LIBRARY_steps_size ? NULL : step_names[position];
}

const char *LIBRARY_step_kind(int position) {
  return position < 0 || position >= LIBRARY_steps_size ? NULL : step_kinds[position];
}

void LIBRARY_time_steps(LIBRARY_model *model, double *seconds) {
  model->seconds = seconds;
}

const char *LIBRARY_error_text(int error) {
  switch (error) {
    case LIBRARY_OK:
      return "no error";
    case LIBRARY_NO_FILE:
      return "the file of weights cannot be read; check its path";
    case LIBRARY_NO_WEIGHTS:
      return "the file is no file of weights of this version; use the file that was written with the library";
    case LIBRARY_OTHER_MODEL:
      return "the weights belong to another library; use the file that was written with this one";
    case LIBRARY_DAMAGED:
      return "the file of weights is damaged; copy it again";
    case LIBRARY_NO_MEMORY:
      return "there is too little memory";
    case LIBRARY_NO_THREAD:
      return "a thread cannot be started; use fewer threads";
    case LIBRARY_BAD_ARGUMENT:
      return "a null pointer, a wrong number of tensors, or fewer threads than 1";
    case LIBRARY_WRONG_SIZE:
      return "a tensor has other bytes than its shape needs";
    default:
      return "an unknown code";
  }
}
