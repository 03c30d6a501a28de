
/* --- layouts --- */

Parts parts_of(const memory::desc &layout) {
#if DNNL_VERSION_MAJOR >= 3
  if (layout.get_format_kind() != memory::format_kind::blocked) return {{-1, 0, 0, 0}};
  const Dims dims = layout.get_dims(), strides = layout.get_strides(), blocks = layout.get_inner_blks(),
             of_blocks = layout.get_inner_idxs();
#else
  if (layout.data.format_kind != dnnl_blocked) return {{-1, 0, 0, 0}};
  const auto &blocking = layout.data.format_desc.blocking;
  const Dims dims = layout.dims(), strides(blocking.strides, blocking.strides + dims.size()),
             blocks(blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks),
             of_blocks(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks);
#endif
  Parts parts;
  Dims divisors(dims.size(), 1);
  memory::dim stride = 1;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    memory::dim &divisor = divisors[static_cast<std::size_t>(of_blocks[i])];
    if (blocks[i] > 1) parts.insert(Part{of_blocks[i], divisor, blocks[i], stride});
    divisor *= blocks[i];
    stride *= blocks[i];
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const memory::dim extent = (dims[d] + divisors[d] - 1) / divisors[d];
    if (extent > 1) parts.insert(Part{static_cast<memory::dim>(d), divisors[d], extent, strides[d]});
  }
  return parts;
}

/* The layout by the one of oneDNN's names that it has. */
memory::desc named(const Tensor &tensor, const Parts &parts) {
  for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag) {
    try {
      const memory::desc layout(tensor.dims, memory::data_type::f32, static_cast<memory::format_tag>(tag));
      if (parts_of(layout) == parts) return layout;
    } catch (const dnnl::error &) {
      /* It is of another number of dimensions. */
    }
  }
  throw std::runtime_error("it does not know the layouts that the library was made for");
}

/* oneDNN's own choice, where it still is the one that was measured. */
Chosen choose_as_declared(const TakenLayer &taken, const dnnl::engine &engine) {
  const Layer &layer = taken.layer;
  const Chosen own = choose(layer, engine, any(layer.data), any(layer.weight), any(layer.output));
  if (parts_of(own.data) == taken.layouts[0] && parts_of(own.weight) == taken.layouts[1] &&
      parts_of(own.output) == taken.layouts[2])
    return own;
  return choose(layer, engine, named(layer.data, taken.layouts[0]), named(layer.weight, taken.layouts[1]),
                named(layer.output, taken.layouts[2]));
}

/* --- calls --- */

class Computation {
 public:
  explicit Computation(const TakenLayer &taken)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        chosen_(choose_as_declared(taken, engine_)),
        tensors_{memory(chosen_.data, engine_, DNNL_MEMORY_NONE), memory(chosen_.weight, engine_, DNNL_MEMORY_NONE),
                 memory(chosen_.output, engine_, DNNL_MEMORY_NONE)} {}

  void run(const float *first, const float *second, float *output) {
    float *const places[] = {const_cast<float *>(first), const_cast<float *>(second), output};
    for (int i = 0; i < 3; ++i)
      if (tensors_[i].get_data_handle() != places[i]) tensors_[i].set_data_handle(places[i]);
    chosen_.primitive.execute(
        stream_, {{DNNL_ARG_SRC, tensors_[0]}, {DNNL_ARG_WEIGHTS, tensors_[1]}, {DNNL_ARG_DST, tensors_[2]}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  Chosen chosen_;
  memory tensors_[3];
};

/* So many threads of OpenMP's, for as long as it lives. */
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) {
    omp_set_num_threads(count);
  }
  ~Threads() {
    omp_set_num_threads(before_);
  }
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

 private:
  int before_;
};

void compute(std::size_t number, int parts, const float *first, const float *second, float *output) {
  static std::mutex mutex;
  /* A primitive is made for a number of threads. */
  static std::map<std::pair<std::size_t, int>, Computation> computations;
  const std::lock_guard<std::mutex> lock(mutex);
  const int count = omp_in_parallel() != 0 ? 1 : parts;
  const Threads threads(count);
  try {
    auto found = computations.find({number, count});
    if (found == computations.end())
      found = computations.emplace(std::make_pair(number, count), taken_layers()[number]).first;
    found->second.run(first, second, output);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "%s: oneDNN cannot compute it: %s\n", taken_layers()[number].name, problem.what());
    std::abort();
  }
}

}  // namespace

