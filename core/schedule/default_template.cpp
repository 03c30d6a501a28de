#include <algorithm>
#include <array>
#include <variant>

#include "core/schedule/template.h"

namespace kernelscape::schedule {
namespace {

/**
 * Multiply-adds in the time in which one weight is read from beyond the caches: of few pixels, reading the
 * larger transformed weights takes longer than the saved multiply-adds.
 */
constexpr double multiply_adds_per_weight = 10;

/** An estimate must be below this share of the definition's. */
constexpr double max_share = 0.75;

/** The transforms of layers with few channels take longer than their products. */
constexpr std::int64_t min_channels = 32;

/** A Winograd template by the rows and columns of its output tiles. 6x6 has larger errors and is never a
 * default. */
struct Choice {
  const char* name;
  std::int64_t tile;
};
constexpr std::array<Choice, 2> choices{{{"conv2d-winograd-2x2", 2}, {"conv2d-winograd-4x4", 4}}};

/** Returns the estimated multiply-adds of an image per pair of an input and an output channel. */
double cost_of(std::int64_t rows, std::int64_t columns, std::int64_t elements, std::int64_t images) {
  const auto size = static_cast<double>(elements);
  return static_cast<double>(images * rows * columns) * size + multiply_adds_per_weight * size;
}

}  // namespace

std::string default_template(const task::Task& task, const TargetDescription& target, bool exact) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (exact || target.kind != TargetKind::Cpu || convolution == nullptr) return {};
  if (std::min(convolution->input_channels, convolution->output_channels) < min_channels) return {};
  std::string best;
  double least = 0;
  for (const auto& [name, tile] : choices) {
    const Result<const TemplateDeclaration*> declaration = find_template(name, target.kind);
    if (!declaration || !(*declaration)->fits(task, target)) continue;
    const std::vector<std::int64_t> size = convolution->output_size();
    if (best.empty()) least = max_share * cost_of(size[0], size[1], 9, convolution->batch);
    const double cost = cost_of((size[0] + tile - 1) / tile, (size[1] + tile - 1) / tile,
                                (tile + 2) * (tile + 2), convolution->batch);
    if (cost >= least) continue;
    least = cost;
    best = name;
  }
  return best;
}

}  // namespace kernelscape::schedule
