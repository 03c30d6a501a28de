
/* --- layouts --- */

std::vector<memory::format_tag> tags_of(std::size_t rank) {
  using tag = memory::format_tag;
  switch (rank) {
    case 2:
      return {tag::ab, tag::ba};
    case 3:
      return {tag::abc, tag::acb, tag::bac, tag::aBc4b, tag::aBc8b, tag::aBc16b};
    case 4:
      return {tag::abcd, tag::acdb, tag::aBcd4b, tag::aBcd8b, tag::aBcd16b};
    case 5:
      return {tag::abcde, tag::acdeb, tag::aBcde4b, tag::aBcde8b, tag::aBcde16b};
    default:
      return {};
  }
}

memory::desc packed(const Dims &dims, memory::format_tag tag) {
  return memory::desc(dims, memory::data_type::f32, tag);
}

Dims dims_of(const memory::desc &layout) {
#if DNNL_VERSION_MAJOR >= 3
  return layout.get_dims();
#else
  return layout.dims();
#endif
}

/* The layout by its name; `undef` for one that has none here. */
memory::format_tag tag_of(const memory::desc &layout) {
  const Dims dims = dims_of(layout);
  for (const memory::format_tag tag : tags_of(dims.size()))
    if (packed(dims, tag) == layout) return tag;
  return memory::format_tag::undef;
}

memory::desc plain(const Tensor &tensor) {
  return memory::desc(tensor.dims, memory::data_type::f32, tensor.strides);
}

/* --- the pass --- */

struct Place {
  std::size_t bytes;
  std::size_t first;
  std::size_t last;
  std::size_t offset;
};

struct Step {
  bool reorder;
  dnnl::primitive primitive;
  /* Argument, layout, place in the arena; weights have memory of their own. */
  std::vector<std::pair<int, std::pair<memory::desc, std::size_t>>> tensors;
  std::unordered_map<int, memory> arguments;
};

void *memory_of(std::size_t bytes, float scale) {
  static std::uint64_t state = 0x9e3779b97f4a7c15u;
  const std::size_t count = bytes / sizeof(float) + 16;
  void *found = std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  if (found == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    static_cast<float *>(found)[i] = (static_cast<float>(state >> 40) / static_cast<float>(1 << 23) - 1.0f) * scale;
  }
  return found;
}

class Pass {
 public:
  Pass() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    std::set<std::size_t> read;
    for (const Layer &layer : layers())
      chosen_.push_back(choose(layer, engine_, any(layer.data), any(layer.weight), any(layer.output)));
    for (step_ = 0; step_ < calls().size(); ++step_) {
      add(calls()[step_]);
      for (const Operand &operand : calls()[step_].operands) read.insert(operand.calls.begin(), operand.calls.end());
    }
    for (std::size_t call = 0; order_known && call < calls().size(); ++call)
      if (read.count(call) == 0) leave_plain(call);
    bind();
  }

  double run(double *reorder_seconds) {
    *reorder_seconds = 0;
    const auto begin = now();
    for (Step &step : steps_) {
      const auto before = step.reorder ? now() : begin;
      step.primitive.execute(stream_, step.arguments);
      if (step.reorder) *reorder_seconds += now() - before;
    }
    stream_.wait();
    return now() - begin;
  }

  void flush() const {
    flush(arena_, arena_bytes_);
    for (const auto &one : weights_) flush(one.first, one.second);
  }

  int reorders() const {
    return static_cast<int>(std::count_if(steps_.begin(), steps_.end(), [](const Step &step) { return step.reorder; }));
  }

 private:
  using Key = std::pair<std::size_t, std::pair<Dims, memory::format_tag>>;

  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  static void flush(const void *begin, std::size_t bytes) {
#if defined(__x86_64__)
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_ia32_clflush(static_cast<const char *>(begin) + i);
    __builtin_ia32_mfence();
#else
    static std::vector<char> other(std::size_t(256) << 20);
    std::memset(other.data(), static_cast<int>(bytes), other.size());
    (void)begin;
#endif
  }

  std::size_t new_place(const memory::desc &layout) {
    places_.push_back({(layout.get_size() + 63) / 64 * 64, step_, step_, 0});
    return places_.size() - 1;
  }

  std::size_t use(std::size_t place) {
    places_[place].last = std::max(places_[place].last, step_);
    return place;
  }

  const Layer &layer_of(std::size_t call) const {
    return layers()[calls()[call].layer];
  }
  const memory::desc &output_of(std::size_t call) const {
    return chosen_[calls()[call].layer].output;
  }

  void reorder(const memory::desc &from, std::size_t from_place, const memory::desc &to, std::size_t to_place) {
    const dnnl::reorder::primitive_desc description(engine_, from, engine_, to);
    steps_.push_back(
        {true, dnnl::reorder(description), {{DNNL_ARG_FROM, {from, from_place}}, {DNNL_ARG_TO, {to, to_place}}}, {}});
  }

  void add(const Call &call) {
    const Layer &layer = layers()[call.layer];
    const Chosen &chosen = chosen_[call.layer];
    const memory::desc layouts[2] = {chosen.data, chosen.weight};
    const Tensor *tensors[2] = {&layer.data, &layer.weight};
    const int arguments[2] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
    Step step{false, chosen.primitive, {}, {}};
    for (int i = 0; i < 2; ++i) {
      if (call.operands[i].constant) {
        void *weights = memory_of(layouts[i].get_size(), 0.05f);
        weights_.push_back({weights, layouts[i].get_size()});
        step.arguments.insert({arguments[i], memory(layouts[i], engine_, weights)});
      } else {
        step.tensors.push_back({arguments[i], {layouts[i], operand(call.operands[i], *tensors[i], layouts[i])}});
      }
    }
    outputs_.push_back(new_place(chosen.output));
    step.tensors.push_back({DNNL_ARG_DST, {chosen.output, outputs_.back()}});
    steps_.push_back(std::move(step));
  }

  std::size_t operand(const Operand &operand, const Tensor &tensor, const memory::desc &wanted) {
    if (!order_known) return new_place(wanted);
    const memory::format_tag tag = tag_of(wanted);
    if (operand.calls.empty()) return from_plain(std::size_t(-1), tensor, wanted, tag);
    const std::size_t only = operand.calls.front();
    if (operand.calls.size() == 1 && dims_of(output_of(only)) == dims_of(wanted)) return from_result(only, wanted, tag);
    const std::size_t own = new_place(wanted);
    std::set<memory::format_tag> done;
    for (const std::size_t call : operand.calls) convert_for_others(call, tensor, wanted, tag, own, done);
    return own;
  }

  std::size_t from_plain(std::size_t call, const Tensor &tensor, const memory::desc &wanted, memory::format_tag tag) {
    const Key key{call, {tensor.dims, tag}};
    if (converted_.count(key) > 0) return use(converted_[key]);
    const std::size_t own = new_place(wanted);
    if (plain(tensor) != wanted) reorder(plain(tensor), new_place(plain(tensor)), wanted, own);
    return converted_[key] = own;
  }

  std::size_t from_result(std::size_t call, const memory::desc &wanted, memory::format_tag tag) {
    if (output_of(call) == wanted) return use(outputs_[call]);
    const Key key{call, {dims_of(wanted), tag}};
    if (converted_.count(key) > 0) return use(converted_[key]);
    const std::size_t own = new_place(wanted);
    reorder(output_of(call), use(outputs_[call]), wanted, own);
    return converted_[key] = own;
  }

  void convert_for_others(std::size_t call, const Tensor &tensor, const memory::desc &wanted, memory::format_tag tag,
                          std::size_t own, std::set<memory::format_tag> &done) {
    const memory::format_tag given = tag_of(output_of(call));
    const bool carried = given != memory::format_tag::undef && dims_of(output_of(call)).size() == tensor.dims.size();
    if (carried && packed(tensor.dims, given) == wanted) return;
    const bool first = converted_.insert({Key{call, {tensor.dims, tag}}, own}).second;
    if (!carried) {
      leave_plain(call);
      if (!first || plain(tensor) == wanted || !done.insert(tag).second) return;
      reorder(plain(tensor), new_place(plain(tensor)), wanted, own);
      return;
    }
    if (!first || !done.insert(given).second) return;
    const memory::desc from = packed(tensor.dims, given);
    reorder(from, new_place(from), wanted, own);
  }

  void leave_plain(std::size_t call) {
    const memory::desc to = plain(layer_of(call).output);
    const Key key{call, {dims_of(to), memory::format_tag::any}};
    if (output_of(call) == to || converted_.count(key) > 0) return;
    converted_[key] = new_place(to);
    reorder(output_of(call), use(outputs_[call]), to, converted_[key]);
  }

  /* The largest first, each at the lowest place that is free while it is needed. */
  void bind() {
    std::vector<Place *> order, placed;
    for (Place &place : places_) order.push_back(&place);
    std::stable_sort(order.begin(), order.end(), [](Place *a, Place *b) { return a->bytes > b->bytes; });
    for (Place *place : order) {
      for (const Place *other : placed) {
        if (other->first > place->last || place->first > other->last) continue;
        if (place->offset + place->bytes <= other->offset) break;
        place->offset = std::max(place->offset, other->offset + other->bytes);
      }
      placed.insert(std::upper_bound(placed.begin(), placed.end(), place,
                                     [](const Place *a, const Place *b) { return a->offset < b->offset; }),
                    place);
      arena_bytes_ = std::max(arena_bytes_, place->offset + place->bytes);
    }
    arena_ = static_cast<char *>(memory_of(arena_bytes_, 1.0f));
    for (Step &step : steps_)
      for (const auto &tensor : step.tensors)
        step.arguments.insert(
            {tensor.first, memory(tensor.second.first, engine_, arena_ + places_[tensor.second.second].offset)});
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Chosen> chosen_;
  std::vector<Step> steps_;
  std::vector<Place> places_;
  std::vector<std::size_t> outputs_;
  std::map<Key, std::size_t> converted_;
  std::vector<std::pair<void *, std::size_t>> weights_;
  std::size_t step_ = 0;
  char *arena_ = nullptr;
  std::size_t arena_bytes_ = 0;
};

Pass *pass = nullptr;
std::string problem;

}  // namespace

extern "C" {

const char *pass_vendor_prepare(void) {
  try {
    pass = new Pass;
    return nullptr;
  } catch (const std::exception &found) {
    problem = found.what();
    return problem.c_str();
  }
}

const char *pass_vendor_name(void) {
  static std::string name;
  const dnnl_version_t *version = dnnl_version();
  name = "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
  return name.c_str();
}

int pass_vendor_reorders(void) {
  return pass == nullptr ? 0 : pass->reorders();
}

void pass_vendor_flush(void) {
  if (pass != nullptr) pass->flush();
}

double pass_vendor_run(double *reorder_seconds) {
  *reorder_seconds = 0;
  return pass == nullptr ? 0 : pass->run(reorder_seconds);
}
}
