#include "core/study/layer_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape {
namespace {

constexpr std::array<std::pair<LayerScheduler, std::string_view>, 3> scheduler_names{
    {{LayerScheduler::Gradient, "gradient"},
     {LayerScheduler::RoundRobin, "round-robin"},
     {LayerScheduler::Proportional, "proportional"}}};

constexpr double alpha = 0.2;
constexpr double beta = 2;
constexpr std::size_t window = 3;
constexpr double random_share = 0.05;

std::vector<std::size_t> open_layers(std::span<const LayerProgress> layers) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (!layers[i].ended) open.push_back(i);
  return open;
}

std::size_t rounds_of_all(std::span<const LayerProgress> layers) {
  std::size_t rounds = 0;
  for (const LayerProgress& layer : layers) rounds += layer.best_seconds.size();
  return rounds;
}

/** FLOP/s; 0 where it has no right kernel. */
double speed_of(const LayerProgress& layer) {
  const double seconds = layer.best_seconds.empty() ? 0 : layer.best_seconds.back();
  return seconds > 0 ? layer.flops / seconds : 0;
}

class Gradients {
 public:
  explicit Gradients(std::span<const LayerProgress> layers) : layers_(layers) {
    for (const LayerProgress& layer : layers) best_speed_ = std::max(best_speed_, speed_of(layer));
  }

  /** How much faster the network becomes by a round of the layer. */
  double of(std::size_t i) const {
    const LayerProgress& layer = layers_[i];
    const double now = seconds_after(layer, layer.best_seconds.size());
    const auto rounds = static_cast<double>(layer.best_seconds.size());
    double gained = 0;
    if (layer.best_seconds.size() > window)
      gained = (now - seconds_after(layer, layer.best_seconds.size() - window)) / static_cast<double>(window);
    double promised = -now / rounds;
    if (const double similar = similar_speed(i); similar > 0)
      promised = std::min(promised, beta * layer.flops / similar - now);
    return -layer.weight * (alpha * gained + (1 - alpha) * promised);
  }

 private:
  double seconds_after(const LayerProgress& layer, std::size_t rounds) const {
    const double seconds = rounds > 0 ? layer.best_seconds[rounds - 1] : 0;
    if (seconds > 0) return seconds;
    return best_speed_ > 0 ? beta * layer.flops / best_speed_ : layer.flops;
  }

  /** The best of the layers of its kind, where there are others. */
  double similar_speed(std::size_t i) const {
    double best = 0;
    for (std::size_t k = 0; k < layers_.size(); ++k)
      if (k != i && layers_[k].kind == layers_[i].kind) best = std::max(best, speed_of(layers_[k]));
    return best > 0 ? std::max(best, speed_of(layers_[i])) : 0;
  }

  std::span<const LayerProgress> layers_;
  double best_speed_ = 0;
};

/** The open layer of the largest value; of equal ones the first. */
std::size_t largest(const std::vector<std::size_t>& open, const auto& value) {
  return *std::ranges::max_element(open, {}, value);
}

}  // namespace

std::string_view to_string(LayerScheduler scheduler) {
  return std::ranges::find(scheduler_names, scheduler, &std::pair<LayerScheduler, std::string_view>::first)
      ->second;
}

std::vector<std::string> layer_scheduler_names() {
  std::vector<std::string> texts;
  for (const auto& [scheduler, name] : scheduler_names) texts.emplace_back(name);
  return texts;
}

Result<LayerScheduler> parse_layer_scheduler(std::string_view text) {
  for (const auto& [scheduler, name] : scheduler_names)
    if (name == text) return scheduler;
  return fail(ErrorCode::InvalidArgument, fmt::format("there is no scheduler {}", quoted_line(text)),
              suggest(text, layer_scheduler_names()));
}

std::optional<std::size_t> next_layer(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                      std::uint64_t seed) {
  const std::vector<std::size_t> open = open_layers(layers);
  if (open.empty()) return std::nullopt;
  const auto work = [&](std::size_t i) { return layers[i].weight * layers[i].flops; };
  std::vector<std::size_t> fresh = open;
  std::erase_if(fresh, [&](std::size_t i) { return !layers[i].best_seconds.empty(); });
  if (!fresh.empty()) return largest(fresh, work);

  const std::size_t rounds = rounds_of_all(layers);
  const auto had = [&](std::size_t i) { return static_cast<double>(layers[i].best_seconds.size()); };
  switch (scheduler) {
    case LayerScheduler::RoundRobin:
      return largest(open, [&](std::size_t i) { return -had(i); });
    case LayerScheduler::Proportional: {
      double all = 0;
      for (const std::size_t i : open) all += work(i);
      // Of the rounds with this one, the layer that lacks most of its share.
      return largest(open, [&](std::size_t i) {
        return (all > 0 ? work(i) / all : 0) * static_cast<double>(rounds + 1) - had(i);
      });
    }
    case LayerScheduler::Gradient:
      break;
  }
  Random random = Random(seed).fork("round " + std::to_string(rounds));
  if (random.chance(random_share)) return open[random.below(open.size())];
  const Gradients gradients(layers);
  return largest(open, [&](std::size_t i) { return gradients.of(i); });
}

}  // namespace kernelscape
