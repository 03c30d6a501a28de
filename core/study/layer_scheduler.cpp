#include "core/study/layer_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::study {
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

/** Returns the layer's speed in FLOP/s, or 0 if it has no correct kernel. */
double speed_of(const LayerProgress& layer) {
  const double seconds = layer.best_seconds.empty() ? 0 : layer.best_seconds.back();
  return seconds > 0 ? layer.flops / seconds : 0;
}

/** Returns the number of calls by which a layer's gain counts. */
double gain_weight(const LayerProgress& layer) {
  return layer.latency_weight > 0 ? layer.latency_weight : layer.weight;
}

class Gradients {
 public:
  explicit Gradients(std::span<const LayerProgress> layers) : layers_(layers) {
    for (const LayerProgress& layer : layers) best_speed_ = std::max(best_speed_, speed_of(layer));
  }

  /**
   * Returns the change of a call's time in each of the layer's latest rounds, as Ansor defines it: negative
   * for a gain, and 0 if it had too few rounds.
   */
  double gained(std::size_t i) const {
    const LayerProgress& layer = layers_[i];
    const std::size_t rounds = layer.best_seconds.size();
    if (rounds <= window) return 0;
    return (seconds_after(layer, rounds) - seconds_after(layer, rounds - window)) /
           static_cast<double>(window);
  }

  /** Returns how much time the network is expected to gain by a round of the layer. */
  double of(std::size_t i) const {
    const LayerProgress& layer = layers_[i];
    const double now = seconds_after(layer, layer.best_seconds.size());
    double promised = -now / static_cast<double>(layer.best_seconds.size());
    if (const double similar = similar_speed(i); similar > 0)
      promised = std::min(promised, beta * layer.flops / similar - now);
    return -gain_weight(layer) * (alpha * gained(i) + (1 - alpha) * promised);
  }

  /** Returns true if times are known; before any layer has a correct kernel, only FLOPs are. */
  bool known() const { return best_speed_ > 0; }

 private:
  double seconds_after(const LayerProgress& layer, std::size_t rounds) const {
    const double seconds = rounds > 0 ? layer.best_seconds[rounds - 1] : 0;
    if (seconds > 0) return seconds;
    return best_speed_ > 0 ? beta * layer.flops / best_speed_ : layer.flops;
  }

  /** Returns the best speed of the other layers of the same kind, if there are any. */
  double similar_speed(std::size_t i) const {
    double best = 0;
    for (std::size_t k = 0; k < layers_.size(); ++k)
      if (k != i && layers_[k].kind == layers_[i].kind) best = std::max(best, speed_of(layers_[k]));
    return best > 0 ? std::max(best, speed_of(layers_[i])) : 0;
  }

  std::span<const LayerProgress> layers_;
  double best_speed_ = 0;
};

/** Returns the open layer with the largest value; of equal ones the first. */
std::size_t largest(const std::vector<std::size_t>& open, const auto& value) {
  return *std::ranges::max_element(open, {}, value);
}

LayerChoice choice_of(std::span<const LayerProgress> layers, std::size_t i, LayerReason reason) {
  LayerChoice choice;
  choice.layer = i;
  choice.reason = reason;
  choice.rounds = std::ssize(layers[i].best_seconds);
  choice.has_kernel = speed_of(layers[i]) > 0;
  double all = 0;
  for (const LayerProgress& layer : layers) all += layer.weight * layer.flops;
  if (all > 0) choice.share_of_flops = layers[i].weight * layers[i].flops / all;
  return choice;
}

/** Chooses among `candidates`, which are open and not empty. */
LayerChoice choose(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                   const std::vector<std::size_t>& candidates, std::uint64_t seed) {
  const auto work = [&](std::size_t i) { return layers[i].weight * layers[i].flops; };
  const auto had = [&](std::size_t i) { return static_cast<double>(layers[i].best_seconds.size()); };
  std::vector<std::size_t> waiting = candidates;
  std::erase_if(waiting, [&](std::size_t i) { return !waits_for_kernel(layers[i]); });
  if (!waiting.empty()) {
    const std::size_t next = largest(waiting, [&](std::size_t i) { return std::pair(-had(i), work(i)); });
    return choice_of(layers, next, had(next) == 0 ? LayerReason::FirstRound : LayerReason::NoKernel);
  }

  const std::size_t rounds = rounds_of_all(layers);
  switch (scheduler) {
    case LayerScheduler::RoundRobin:
      return choice_of(layers, largest(candidates, [&](std::size_t i) { return -had(i); }),
                       LayerReason::Turn);
    case LayerScheduler::Proportional: {
      // Layers that have a round at the same time keep their share.
      double all = 0;
      for (const std::size_t i : open_layers(layers)) all += work(i);
      // Chooses the layer that lacks most of its share of the rounds, including this one.
      const auto due = [&](std::size_t i) {
        return (all > 0 ? work(i) / all : 0) * static_cast<double>(rounds + 1);
      };
      LayerChoice choice = choice_of(
          layers, largest(candidates, [&](std::size_t i) { return due(i) - had(i); }), LayerReason::Share);
      choice.due_rounds = due(choice.layer);
      return choice;
    }
    case LayerScheduler::Gradient:
      break;
  }
  const Gradients gradients(layers);
  const auto promising = [&](std::size_t layer, LayerReason reason) {
    LayerChoice choice = choice_of(layers, layer, reason);
    if (gradients.known()) {
      choice.promised_seconds = gradients.of(layer);
      choice.gained_seconds = -gain_weight(layers[layer]) * gradients.gained(layer);
    }
    return choice;
  };
  base::Random random = base::Random(seed).fork("round " + std::to_string(rounds));
  if (random.chance(random_share))
    return promising(candidates[random.below(candidates.size())], LayerReason::AnyLayer);
  return promising(largest(candidates, [&](std::size_t i) { return gradients.of(i); }), LayerReason::Promise);
}

}  // namespace

bool waits_for_kernel(const LayerProgress& layer) {
  return speed_of(layer) <= 0 && std::ssize(layer.best_seconds) < layer.max_first_rounds;
}

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
  return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a scheduler", base::quoted_line(text)),
              base::suggest(text, layer_scheduler_names()));
}

std::optional<LayerChoice> explain_next_layer(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                              std::uint64_t seed) {
  const std::vector<std::size_t> open = open_layers(layers);
  if (open.empty()) return std::nullopt;
  return choose(scheduler, layers, open, seed);
}

std::vector<LayerChoice> explain_next_layers(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                             std::uint64_t seed, int count) {
  std::vector<LayerProgress> assumed(layers.begin(), layers.end());
  std::vector<std::size_t> candidates = open_layers(layers);
  std::vector<LayerChoice> choices;
  while (std::ssize(choices) < count && !candidates.empty()) {
    const LayerChoice choice = choose(scheduler, assumed, candidates, seed);
    const bool alone = assumed[choice.layer].max_first_rounds > 1 && !is_first_round(choice.reason) &&
                       !choices.empty() && is_first_round(choices.front().reason);
    if (alone) break;
    choices.push_back(choice);
    std::vector<double>& best = assumed[choice.layer].best_seconds;
    best.push_back(best.empty() ? 0 : best.back());
    std::erase(candidates, choice.layer);
  }
  return choices;
}

std::string choice_text(const LayerChoice& choice) {
  const std::string share =
      choice.share_of_flops > 0 ? base::percent_text(choice.share_of_flops) + " of the network's FLOPs" : "";
  switch (choice.reason) {
    case LayerReason::FirstRound:
      return share.empty() ? "its first round" : "its first round: it has " + share;
    case LayerReason::Turn:
      return fmt::format("its turn: no layer had fewer rounds than its {}", choice.rounds);
    case LayerReason::Share:
      return fmt::format("it has {}, which entitles it to {} rounds, and had {}",
                         share.empty() ? "its share" : share, base::number_text(choice.due_rounds, 3),
                         choice.rounds);
    case LayerReason::AnyLayer:
      return "the one round in twenty that goes to any layer";
    case LayerReason::NoKernel:
      return "it has no correct kernel yet, and every layer gets one first";
    case LayerReason::Promise:
      break;
  }
  if (choice.promised_seconds <= 0)
    return choice.has_kernel ? "no layer promises more"
                             : "no layer has a correct kernel yet: it has the most FLOPs";
  std::string text = fmt::format("it promises most: a round may save {} of the network's time",
                                 base::quantity_text(choice.promised_seconds, "s"));
  if (!choice.has_kernel)
    text += "; it has no correct kernel yet";
  else if (choice.gained_seconds > 0)
    text += fmt::format("; its latest rounds saved {} each", base::quantity_text(choice.gained_seconds, "s"));
  return text;
}

}  // namespace kernelscape::study
