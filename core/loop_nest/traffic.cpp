#include "core/loop_nest/traffic.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/loop_nest/access_footprint.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

constexpr std::int64_t bits_per_byte = 8;

/** A loop, a sequence or an operation with its accesses to arguments and local arrays. */
struct TrafficNode {
  std::optional<VariableSweep> loop;  ///< nullopt: a sequence, or an operation
  /// of a parallel loop: number of threads over which its iterations are distributed
  std::int64_t thread_runs = 1;
  bool unrolled = false;  ///< or vectorized: data that are accessed again are still in a register
  std::vector<TrafficNode> children;
  std::vector<SweptAccess> accesses;  ///< accesses of an operation, without sweeps
};

/** Returns the bytes of a type: 4 for "f32". */
std::int64_t bytes_of_type(std::string_view type) {
  std::int64_t bits = 0;
  const auto digits = type.find_first_of("0123456789");
  if (digits != std::string_view::npos)
    std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return std::max<std::int64_t>(1, bits / bits_per_byte);
}

/** Reads a CPU's nest as a tree of loops and accesses. */
class TrafficReader {
 public:
  TrafficReader(const LoopNest& nest, int threads) : nest_(nest), threads_(threads) {}

  TrafficNode read(const StatementPtr& statement) {
    return std::visit([&](const auto& node) { return read_node(node); }, statement->node);
  }

  bool foreign() const { return foreign_; }  ///< true if a GPU-specific statement was found
  /// share of real iterations among those of the threads' equal runs
  double real_share() const { return real_share_; }

 private:
  TrafficNode read_node(const Loop& loop) {
    if (loop.kind == LoopKind::Parallel) return read_parallel(loop);
    TrafficNode node;
    node.loop = VariableSweep{loop.variable, loop.end - loop.begin, 1};
    node.unrolled = loop.kind == LoopKind::Unrolled || loop.kind == LoopKind::Vectorized;
    node.children.push_back(read(loop.body));
    return node;
  }
  TrafficNode read_node(const Let& let) {
    return read(substitute(let.body, let.variable, let.value, nest_.ranges));
  }
  TrafficNode read_node(const Guard& guard) { return read(guard.body); }
  TrafficNode read_node(const Allocate& allocate) { return read(allocate.body); }
  TrafficNode read_node(const Sequence& sequence) {
    TrafficNode node;
    for (const StatementPtr& part : sequence.statements) node.children.push_back(read(part));
    return node;
  }
  TrafficNode read_node(const Barrier&) { return refuse(); }
  TrafficNode read_node(const FragmentOperation&) { return refuse(); }
  TrafficNode read_node(const Compute& compute) {
    TrafficNode node;
    const bool accumulates = compute.operation == Operation::MultiplyAccumulate;
    add(node, compute.destination, compute.lanes, 1, true);
    if (accumulates) add(node, compute.destination, compute.lanes, 1, false);
    for (const BufferAccess& source : compute.sources) add(node, source, compute.lanes, compute.group, false);
    return node;
  }

  TrafficNode refuse() {
    foreign_ = true;
    return {};
  }

  void add(TrafficNode& node, const BufferAccess& access, std::int64_t lanes, std::int64_t group,
           bool written) const {
    const BufferScope scope = nest_.buffers[static_cast<std::size_t>(access.buffer)].scope;
    if (scope != BufferScope::Global && scope != BufferScope::Local) return;
    std::vector<std::int64_t> constants;
    for (std::int64_t element = 0; element < group; ++element)
      constants.push_back(access.offset.constant() + element);
    node.accesses.push_back({access.buffer,
                             access.offset.without_constant(),
                             lanes,
                             access.lane_stride,
                             written,
                             std::move(constants),
                             {}});
  }

  /**
   * Reads a parallel loop. The variables that are decoded from its variable are separate loops, distributed
   * from the outermost on: a thread's run of iterations is whole inner loops and a part of an outer one.
   */
  TrafficNode read_parallel(const Loop& loop) {
    struct Decoded {
      int variable;
      std::int64_t values;
      std::int64_t every;  ///< iterations of the parallel loop between two values
    };
    std::vector<Decoded> decoded;
    StatementPtr body = loop.body;
    double product = 1;
    while (const auto* let = std::get_if<Let>(&body->node)) {
      if (let->value.variables() != std::vector<int>{loop.variable}) break;
      const Range range = nest_.ranges[static_cast<std::size_t>(let->variable)];
      decoded.push_back({let->variable, range.high - range.low + 1, first_change(*let, loop)});
      product *= static_cast<double>(decoded.back().values);
      body = let->body;
    }
    const std::int64_t iterations = loop.end - loop.begin;
    if (decoded.empty() || product < static_cast<double>(iterations)) {
      body = loop.body;
      decoded = {{loop.variable, iterations, 1}};
    }
    std::ranges::stable_sort(decoded, {}, &Decoded::every);
    TrafficNode node = read(body);
    std::int64_t left = (iterations + threads_ - 1) / threads_;
    double dealt = 1;
    for (const Decoded& variable : decoded) {
      const std::int64_t own = std::clamp<std::int64_t>(left, 1, variable.values);
      left = (left + own - 1) / own;
      TrafficNode outer;
      outer.loop = VariableSweep{variable.variable, own, 1};
      outer.thread_runs = (variable.values + own - 1) / own;
      dealt *= static_cast<double>(own * outer.thread_runs);
      outer.children.push_back(std::move(node));
      node = std::move(outer);
    }
    real_share_ *= std::min(1.0, static_cast<double>(iterations) / dealt);
    return node;
  }

  std::int64_t first_change(const Let& let, const Loop& loop) const {
    std::vector<std::int64_t> values(nest_.ranges.size(), 0);
    std::int64_t& at = values[static_cast<std::size_t>(loop.variable)];
    at = loop.begin;
    const std::int64_t first = let.value.evaluate(values);
    for (at = loop.begin + 1; at < loop.end; ++at)
      if (let.value.evaluate(values) != first) return at - loop.begin;
    return loop.end - loop.begin;
  }

  const LoopNest& nest_;
  int threads_;
  bool foreign_ = false;
  double real_share_ = 1;
};

/** The number of units of each buffer. */
using BufferUnits = std::vector<double>;

/** Computes the data that a tree of loops accesses and moves through caches of any size. */
class TrafficCount {
 public:
  enum class Sharing : std::uint8_t { OneThread, AllThreads };

  TrafficCount(const LoopNest& nest, const TrafficNode& root, std::int64_t line_bytes)
      : nest_(nest), root_(root), line_bytes_(line_bytes) {
    collect_thread_runs(root);
    for (const Buffer& buffer : nest.buffers) element_bytes_.push_back(bytes_of_type(buffer.element_type));
  }

  /** Returns the factor from the traffic of one thread to that of all threads. */
  double threads() const { return threads_; }

  double footprint_bytes(Sharing sharing) const { return bytes_in_lines(lines(root_, sharing)); }

  /** Returns the bytes that enter and leave a cache of this size: written lines do both. */
  double through_cache(double cache_bytes, Sharing sharing) const {
    const BufferUnits moved = moved_lines(root_, cache_bytes, sharing);
    double bytes = 0;
    for (std::size_t buffer = 0; buffer < moved.size(); ++buffer)
      bytes += moved[buffer] * static_cast<double>(line_bytes_) * (nest_.buffers[buffer].written ? 2 : 1);
    return bytes;
  }

  /** Returns the bytes that one thread loads into registers and stores from them. */
  double through_registers() const { return register_bytes(root_); }

 private:
  void collect_thread_runs(const TrafficNode& node) {
    if (node.loop && node.thread_runs > 1) {
      runs_.push_back({node.loop->variable, node.thread_runs, node.loop->values});
      threads_ *= static_cast<double>(node.thread_runs);
    }
    for (const TrafficNode& child : node.children) collect_thread_runs(child);
  }

  /** Gathers accesses; those that differ only by a constant are merged. */
  static void gather(const TrafficNode& node, std::vector<VariableSweep>& sweeps,
                     std::vector<SweptAccess>& gathered, bool stores_apart) {
    if (node.loop) sweeps.push_back(*node.loop);
    for (const SweptAccess& access : node.accesses) {
      const auto same = std::ranges::find_if(gathered, [&](const SweptAccess& other) {
        return other.buffer == access.buffer && other.offset == access.offset &&
               other.lanes == access.lanes && other.lane_stride == access.lane_stride &&
               (!stores_apart || other.written == access.written) && other.sweeps == sweeps;
      });
      if (same != gathered.end()) {
        same->constants.insert(same->constants.end(), access.constants.begin(), access.constants.end());
        continue;
      }
      gathered.push_back(access);
      gathered.back().sweeps = sweeps;
    }
    for (const TrafficNode& child : node.children) gather(child, sweeps, gathered, stores_apart);
    if (node.loop) sweeps.pop_back();
  }

  /** Returns the distinct lines of each buffer while a node runs once. */
  BufferUnits lines(const TrafficNode& node, Sharing sharing) const {
    std::vector<VariableSweep> sweeps;
    std::vector<SweptAccess> gathered;
    gather(node, sweeps, gathered, /*stores_apart=*/false);
    std::vector<std::optional<Footprint>> touched(nest_.buffers.size());
    for (SweptAccess& access : gathered) {
      if (sharing == Sharing::AllThreads)
        access.sweeps.insert(access.sweeps.end(), runs_.begin(), runs_.end());
      const auto buffer = static_cast<std::size_t>(access.buffer);
      const Footprint footprint = footprint_of(access, nest_, element_bytes_[buffer], line_bytes_);
      touched[buffer] = touched[buffer] ? joined(*touched[buffer], footprint) : footprint;
    }
    BufferUnits units;
    for (const auto& footprint : touched) units.push_back(footprint ? footprint->units : 0);
    return units;
  }

  double bytes_in_lines(const BufferUnits& units) const {
    double all = 0;
    for (const double lines_of_buffer : units) all += lines_of_buffer;
    return all * static_cast<double>(line_bytes_);
  }

  /**
   * Returns the lines moved. If an iteration fits into the cache, the next one finds the shared lines there;
   * otherwise each iteration fetches all of its lines.
   */
  BufferUnits moved_lines(const TrafficNode& node, double cache_bytes, Sharing sharing) const {
    BufferUnits whole = lines(node, sharing);
    if (bytes_in_lines(whole) <= cache_bytes || node.children.empty()) return whole;
    if (node.loop && bytes_in_lines(lines(node.children.front(), sharing)) <= cache_bytes) return whole;
    BufferUnits moved(nest_.buffers.size(), 0);
    const double times = node.loop ? static_cast<double>(node.loop->values) : 1;
    for (const TrafficNode& child : node.children) {
      const BufferUnits of_child = moved_lines(child, cache_bytes, sharing);
      for (std::size_t buffer = 0; buffer < moved.size(); ++buffer) moved[buffer] += times * of_child[buffer];
    }
    return moved;
  }

  static bool all_unrolled(const TrafficNode& node) {
    return (!node.loop || node.unrolled) && std::ranges::all_of(node.children, all_unrolled);
  }

  double register_bytes(const TrafficNode& node) const {
    if (!all_unrolled(node)) {
      const double times = node.loop ? static_cast<double>(node.loop->values) : 1;
      double bytes = 0;
      for (const TrafficNode& child : node.children) bytes += times * register_bytes(child);
      return bytes;
    }
    std::vector<VariableSweep> sweeps;
    std::vector<SweptAccess> gathered;
    gather(node, sweeps, gathered, /*stores_apart=*/true);
    double bytes = 0;
    for (const SweptAccess& access : gathered) {
      const std::int64_t element = element_bytes_[static_cast<std::size_t>(access.buffer)];
      bytes += footprint_of(access, nest_, element, element).units * static_cast<double>(element);
    }
    return bytes;
  }

  const LoopNest& nest_;
  const TrafficNode& root_;
  std::int64_t line_bytes_;
  std::vector<std::int64_t> element_bytes_;  ///< by buffer
  /// sweeps from one thread's iterations to those of the next thread
  std::vector<VariableSweep> runs_;
  double threads_ = 1;
};

}  // namespace

Result<TrafficEstimate> estimate_traffic(const LoopNest& nest, const CacheSizes& caches) {
  TrafficEstimate estimate;
  if (!nest.body) return estimate;
  TrafficReader reader(nest, std::max(1, caches.threads));
  const TrafficNode root = reader.read(nest.body);
  if (reader.foreign() || !nest.launch.empty()) {
    return fail(ErrorCode::Refused,
                "the traffic of a GPU kernel cannot be estimated: the estimate models a processor's caches",
                "use the GPU's own profiler");
  }
  using enum TrafficCount::Sharing;
  const TrafficCount count(nest, root, caches.line_bytes);
  const double all = count.threads() * reader.real_share();
  const auto l1 = static_cast<double>(caches.l1_bytes);
  const double l2 = std::max(l1, static_cast<double>(caches.l2_bytes));
  const auto l3 = static_cast<double>(caches.l3_bytes);
  const double own = count.footprint_bytes(OneThread);
  const auto at = [&](base::MemoryLevel level) -> LevelTraffic& {
    return estimate.levels[base::place_of(level)];
  };
  estimate.footprint_bytes = count.footprint_bytes(AllThreads);
  at(base::MemoryLevel::L1) = {all * count.through_registers(), false};
  at(base::MemoryLevel::L2) = {all * count.through_cache(l1, OneThread), own <= l1};
  at(base::MemoryLevel::L3) = {all * count.through_cache(l2, OneThread), own <= l2};
  at(base::MemoryLevel::Memory) = at(base::MemoryLevel::L3);
  if (l3 > 0) {
    at(base::MemoryLevel::Memory).bytes = reader.real_share() * count.through_cache(l3, AllThreads);
    at(base::MemoryLevel::Memory).stays_nearer = own <= l2 || estimate.footprint_bytes <= l3;
  }
  // A nearer cache passes on no more than is requested from it.
  for (std::size_t level = base::place_of(base::MemoryLevel::L3); level < base::memory_level_count; ++level)
    estimate.levels[level].bytes = std::min(estimate.levels[level].bytes, estimate.levels[level - 1].bytes);
  return estimate;
}

}  // namespace kernelscape::loop_nest
