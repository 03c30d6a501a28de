#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "core/schedule/kernel_summary.h"
#include "core/schedule/loop_numbers.h"
#include "core/schedule/one_shot_features.h"
#include "core/schedule/schedule.h"

namespace kernelscape::schedule {
namespace {

/** A multiplication's batch counts as images, its depth as channels. */
constexpr std::array<std::string_view, 10> axis_kinds{"n", "g", "f", "z", "y", "x", "rc", "rz", "ry", "rx"};
static_assert(TokenRow::loop_columns == numbers_per_loop + axis_kinds.size());

constexpr std::array<std::string_view, 3> dimension_names{"z", "y", "x"};

/** Returns the position in axis_kinds. */
std::size_t axis_kind(std::string_view axis) {
  if (axis == "b") axis = "n";
  if (axis == "k") axis = "rc";
  const auto* kind = std::ranges::find(axis_kinds, axis);
  if (kind == axis_kinds.end()) throw std::logic_error(fmt::format("axis {} has no token", axis));
  return static_cast<std::size_t>(kind - axis_kinds.begin());
}

/** The task's values with their names. */
class TaskNumbers {
 public:
  explicit TaskNumbers(const ScheduledKernel& kernel) {
    const task::TensorOperator& op = kernel.schedule().op();
    const auto* convolution = std::get_if<task::Convolution>(&kernel.task().definition);
    const auto* multiplication = std::get_if<task::MatrixMultiplication>(&kernel.task().definition);
    add("log2 FLOP", std::log2(op.flops()));
    add_extents(op);
    const std::vector<std::int64_t> none;
    add_sizes("stride", convolution != nullptr ? convolution->stride : none);
    add_sizes("padding", convolution != nullptr ? convolution->padding : none);
    add_sizes("dilation", convolution != nullptr ? convolution->dilation : none);
    add_bytes(op);
    const auto add_flag = [&](const char* name, bool value) { add(name, value ? 1 : 0); };
    add_flag("integers", op.accumulator == task::ScalarType::I32);
    add_flag("transposed", convolution != nullptr && convolution->transposed);
    add_flag("first operand transposed", multiplication != nullptr && multiplication->transpose_a);
    add_flag("second operand transposed", multiplication != nullptr && multiplication->transpose_b);
    if (values_.size() != TokenRow::task_columns)
      throw std::logic_error(fmt::format("a task of {} numbers", values_.size()));
  }

  const std::vector<float>& values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  void add(std::string name, double value) {
    names_.push_back("task: " + std::move(name));
    values_.push_back(static_cast<float>(value));
  }

  void add_extents(const task::TensorOperator& op) {
    std::array<std::int64_t, axis_kinds.size()> extents{};
    for (const task::TensorAxis& axis : op.axes) extents.at(axis_kind(axis.name)) = axis.extent;
    for (std::size_t kind = 0; kind < axis_kinds.size(); ++kind)
      add(fmt::format("log2 extent of {}", axis_kinds[kind]), signed_logarithm(extents[kind]));
  }

  /** Adds a value per dimension; the last dimension is x. */
  void add_sizes(std::string_view name, const std::vector<std::int64_t>& sizes) {
    const std::size_t missing = dimension_names.size() - sizes.size();
    for (std::size_t d = 0; d < dimension_names.size(); ++d)
      add(fmt::format("log2 {} along {}", name, dimension_names[d]),
          d < missing ? 0 : signed_logarithm(sizes[d - missing]));
  }

  void add_bytes(const task::TensorOperator& op) {
    const std::array<const task::TensorAccess*, touched_tensors> tensors{&op.inputs[0], &op.inputs[1],
                                                                         &op.output};
    double all_bytes = 0;
    for (const task::TensorAccess* tensor : tensors) {
      const auto bytes = static_cast<double>(tensor->element_count() * task::bytes_of(tensor->type));
      all_bytes += bytes;
      add(fmt::format("log2 bytes of {}", tensor->tensor), std::log2(bytes));
    }
    add("log2 FLOP per byte", std::log2(op.flops() / all_bytes));
    for (const task::TensorAccess* tensor : tensors)
      add(fmt::format("log2 bytes of an element of {}", tensor->tensor),
          std::log2(static_cast<double>(task::bytes_of(tensor->type))));
  }

  std::vector<float> values_;
  std::vector<std::string> names_;
};

/** Returns the position of each value that KnobFeatures gives for all knobs. */
std::vector<std::size_t> knob_places(const space::SearchSpace& space) {
  std::vector<bool> of_tiles;
  for (const space::Knob& knob : space.knobs()) {
    const bool tile =
        knob.kind() == space::KnobKind::Factorization || knob.kind() == space::KnobKind::Ordinal;
    of_tiles.insert(of_tiles.end(), static_cast<std::size_t>(knob.element_count()), tile);
  }
  if (of_tiles.size() > TokenRow::knobs)
    throw std::logic_error(fmt::format("knobs of {} numbers", of_tiles.size()));
  std::vector<std::size_t> places;
  std::size_t next_tile = 0;
  auto next_choice = TokenRow::knobs - static_cast<std::size_t>(std::ranges::count(of_tiles, false));
  for (const bool tile : of_tiles) places.push_back(tile ? next_tile++ : next_choice++);
  return places;
}

class TokenFeatures final : public space::FeatureExtractor {
 public:
  explicit TokenFeatures(const ScheduledKernel& kernel)
      : touches_(kernel.shared_schedule()),
        summary_(kernel, touches_.tensor_names()),
        knobs_(kernel.space()),
        knob_places_(knob_places(kernel.space())) {
    if (touches_.loop_names().size() > TokenRow::loops)
      throw std::logic_error(fmt::format("a nest of {} loops", touches_.loop_names().size()));
    const Schedule& schedule = kernel.schedule();
    for (const Loop& loop : schedule.loops())
      axis_kinds_.push_back(axis_kind(schedule.op().axes[static_cast<std::size_t>(loop.axis)].name));
    const TaskNumbers task(kernel);
    task_ = task.values();
    name_loops();
    names_.insert(names_.end(), task.names().begin(), task.names().end());
    name_knobs();
  }

  std::string name() const override { return "tokens"; }
  int version() const override { return token_features_version; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const space::Configuration& configuration, std::span<float> row) const override {
    const std::vector<TouchedLoop> loops = touches_.of(configuration);
    row[0] = static_cast<float>(loops.size());
    row = row.subspan(1);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      write_loop_numbers(loops[i], i + 1, i + 1 == loops.size(), row.first<numbers_per_loop>());
      const std::span<float> kinds = row.subspan(numbers_per_loop, axis_kinds.size());
      std::ranges::fill(kinds, 0.0F);
      kinds[axis_kinds_[static_cast<std::size_t>(loops[i].loop.number)]] = 1;
      row = row.subspan(TokenRow::loop_columns);
    }
    const std::size_t ignored = (TokenRow::loops - loops.size()) * TokenRow::loop_columns;
    std::ranges::fill(row.first(ignored), 0.0F);
    row = row.subspan(ignored);
    std::ranges::copy(task_, row.begin());
    row = row.subspan(TokenRow::task_columns);
    summary_.write(loops, row.first<KernelSummary::columns>());
    write_knobs(configuration, row.subspan(KernelSummary::columns));
  }

 private:
  void write_knobs(const space::Configuration& configuration, std::span<float> row) const {
    std::array<float, TokenRow::knobs> values{};
    knobs_.write(configuration, values);
    std::ranges::fill(row, 0.0F);
    for (std::size_t i = 0; i < knob_places_.size(); ++i)
      row[knob_places_[i]] = std::copysign(std::log2(1 + std::abs(values.at(i))), values.at(i));
  }

  void name_loops() {
    names_.emplace_back("loops");
    std::vector<std::string> numbers = loop_number_names(touches_.tensor_names());
    for (const std::string_view kind : axis_kinds) numbers.push_back(fmt::format("along {}", kind));
    for (std::size_t loop = 1; loop <= TokenRow::loops; ++loop)
      for (const std::string& number : numbers) names_.push_back(fmt::format("loop {}: {}", loop, number));
  }

  void name_knobs() {
    for (const char* number : KernelSummary::names) names_.push_back(fmt::format("kernel: {}", number));
    const std::size_t first = names_.size();
    for (std::size_t place = 0; place < TokenRow::knobs; ++place)
      names_.push_back(fmt::format("knobs: no number {}", place + 1));
    for (std::size_t i = 0; i < knob_places_.size(); ++i)
      names_[first + knob_places_[i]] = fmt::format("log2 {}", knobs_.names()[i]);
  }

  LoopTouches touches_;
  KernelSummary summary_;
  space::KnobFeatures knobs_;
  std::vector<std::size_t> knob_places_;
  std::vector<std::size_t> axis_kinds_;  ///< by number of the loop
  std::vector<float> task_;
  std::vector<std::string> names_;
};

}  // namespace

Status fits_token_row(const ScheduledKernel& kernel) {
  const std::size_t loops = LoopTouches(kernel.shared_schedule()).loop_names().size();
  std::size_t numbers = 0;
  for (const space::Knob& knob : kernel.space().knobs())
    numbers += static_cast<std::size_t>(knob.element_count());
  if (loops <= TokenRow::loops && numbers <= TokenRow::knobs) return {};
  return fail(ErrorCode::Refused,
              fmt::format("kernels of template {} for {} have {} loops and {} values of knobs, but a row of "
                          "the features tokens has room for {} and {}",
                          kernel.template_name(), kernel.task().text, loops, numbers, TokenRow::loops,
                          TokenRow::knobs),
              "choose a tuner without a predictor, or another template");
}

std::shared_ptr<const space::FeatureExtractor> token_features(const ScheduledKernel& kernel) {
  return std::make_shared<TokenFeatures>(kernel);
}

}  // namespace kernelscape::schedule
