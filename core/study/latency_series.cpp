#include "core/study/latency_series.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "core/base/numbers.h"
#include "core/study/latency_json.h"

namespace kernelscape::study {
namespace {

constexpr std::size_t max_listed_layers = 100'000;

space::Json object_of_point(const LatencyPoint& point) {
  space::Json json{{"measured_utc", point.measured_utc},
                   {"elapsed_seconds", point.elapsed_seconds},
                   {"trials", point.trials},
                   {"rounds", point.rounds},
                   {"seconds_of_layers", point.layer_seconds},
                   {"weights_of_layers", point.layer_weights},
                   {"changed", point.changed},
                   {"slower", point.slower}};
  write_latency_times(point.times, "", json);
  write_latency_parts(point.parts, json);
  return json;
}

space::Json object_of_kernel(const KernelOfTrial& kernel) {
  return {{"session", kernel.session}, {"trial", kernel.trial}};
}

std::unexpected<Error> bad_series(const char* member) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the latencies of a model have no valid \"{}\"", member));
}

Result<const space::Json*> list_of(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  if (found == nullptr || !found->is_array() || found->size() > max_listed_layers) return bad_series(name);
  return found;
}

Result<KernelOfTrial> read_kernel(const space::Json& json) {
  const space::Json* session = space::member_of(json, "session");
  const space::Json* trial = space::member_of(json, "trial");
  if (session == nullptr || trial == nullptr || !session->is_number_integer() || !trial->is_number_integer())
    return bad_series("in_place");
  return KernelOfTrial{session->get<store::SessionId>(), trial->get<std::int64_t>()};
}

Result<KernelOfTrial> read_member_kernel(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  if (found == nullptr) return bad_series(name);
  return read_kernel(*found);
}

Status read_number_list(const space::Json& json, const char* name, std::vector<double>& numbers) {
  for (const space::Json& number : *TRY(list_of(json, name))) {
    if (!number.is_number() || !(number.get<double>() >= 0)) return bad_series(name);
    numbers.push_back(number.get<double>());
  }
  return {};
}

Status read_layers(const space::Json& json, LatencyPoint& point) {
  TRY(read_number_list(json, "seconds_of_layers", point.layer_seconds));
  TRY(read_number_list(json, "weights_of_layers", point.layer_weights));
  for (const space::Json& layer : *TRY(list_of(json, "changed"))) {
    if (!layer.is_number_unsigned() || layer.get<std::size_t>() >= point.layer_seconds.size())
      return bad_series("changed");
    point.changed.push_back(layer.get<std::size_t>());
  }
  return {};
}

Result<LatencyPoint> read_point(const space::Json& json) {
  LatencyPoint point;
  point.measured_utc = latency_text_member(json, "measured_utc");
  TRY(read_latency_number(json, "elapsed_seconds", point.elapsed_seconds));
  double trials = 0;
  double rounds = 0;
  TRY(read_latency_number(json, "trials", trials));
  TRY(read_latency_number(json, "rounds", rounds));
  point.trials = static_cast<std::int64_t>(trials);
  point.rounds = static_cast<std::int64_t>(rounds);
  TRY(read_latency_times(json, "", point.times));
  TRY(read_latency_parts(json, point.parts));
  TRY(read_layers(json, point));
  const space::Json* slower = space::member_of(json, "slower");
  point.slower = slower != nullptr && slower->is_boolean() && slower->get<bool>();
  return point;
}

Result<HeldBackKernel> read_held_back(const space::Json& json) {
  HeldBackKernel held;
  held.kernel = TRY(read_member_kernel(json, "kernel"));
  held.used = TRY(read_member_kernel(json, "used"));
  return held;
}

std::string text_of_json(const space::Json& json) {
  return json.dump(-1, ' ', false, space::Json::error_handler_t::replace);
}

}  // namespace

std::optional<double> LatencyPoint::share_of(std::size_t layer) const {
  if (layer >= layer_seconds.size() || !(layer_seconds[layer] > 0) || !(parts.sum() > 0)) return std::nullopt;
  return layer_seconds[layer] / parts.sum();
}

const LatencyPoint* LatencySeries::current() const { return after(std::numeric_limits<std::int64_t>::max()); }

const LatencyPoint* LatencySeries::after(std::int64_t rounds) const {
  for (const LatencyPoint& point : std::views::reverse(points))
    if (!point.slower && point.rounds <= rounds) return &point;
  return nullptr;
}

double LatencySeries::weight_after(std::int64_t rounds, std::size_t layer) const {
  const LatencyPoint* point = after(rounds);
  return point == nullptr || layer >= point->layer_weights.size() ? 0 : point->layer_weights[layer];
}

std::optional<std::size_t> layer_to_hold_back(const LatencySeries& series, const LatencyPoint& slower) {
  const LatencyPoint* before = series.current();
  if (before == nullptr || before->layer_seconds.size() != slower.layer_seconds.size()) return std::nullopt;
  std::optional<std::size_t> chosen;
  double most = 0;
  for (const std::size_t layer : slower.changed) {
    if (layer >= series.in_place.size() || series.in_place[layer].trial < 0) continue;
    const double grown = slower.layer_seconds[layer] - before->layer_seconds[layer];
    if (chosen && grown <= most) continue;
    chosen = layer;
    most = grown;
  }
  return chosen;
}

std::string latency_point_to_json(const LatencyPoint& point) { return text_of_json(object_of_point(point)); }

std::string latency_series_to_json(const LatencySeries& series) {
  space::Json json{{"points", space::Json::array()},
                   {"held_back", space::Json::array()},
                   {"in_place", space::Json::array()},
                   {"skipped", series.skipped},
                   {"cost_seconds", series.cost_seconds}};
  for (const LatencyPoint& point : series.points) json["points"].push_back(object_of_point(point));
  for (const HeldBackKernel& held : series.held_back)
    json["held_back"].push_back(
        {{"kernel", object_of_kernel(held.kernel)}, {"used", object_of_kernel(held.used)}});
  for (const KernelOfTrial& kernel : series.in_place) json["in_place"].push_back(object_of_kernel(kernel));
  return text_of_json(json);
}

Result<LatencySeries> latency_series_from_json(std::string_view text) {
  const space::Json json = space::parse_json(text);
  LatencySeries series;
  for (const space::Json& point : *TRY(list_of(json, "points")))
    series.points.push_back(TRY(read_point(point)));
  for (const space::Json& held : *TRY(list_of(json, "held_back")))
    series.held_back.push_back(TRY(read_held_back(held)));
  for (const space::Json& kernel : *TRY(list_of(json, "in_place")))
    series.in_place.push_back(TRY(read_kernel(kernel)));
  series.skipped = TRY(latency_count(json, "skipped"));
  TRY(read_latency_number(json, "cost_seconds", series.cost_seconds));
  return series;
}

Result<LatencySeries> stored_latency_series(const store::Store& store, store::StudyId id) {
  const std::optional<std::string> json = TRY(store.studies().measure(id, latency_series_kind));
  if (!json) return LatencySeries{};
  return latency_series_from_json(*json);
}

std::vector<std::string> latency_series_sentences(const LatencySeries& series) {
  const LatencyPoint* last = series.current();
  if (last == nullptr) return {};
  std::vector<std::string> sentences{
      fmt::format("While its layers were tuned, the whole model was measured {} time{}: {} at first (after "
                  "{} trials), {} "
                  "after {} trials.",
                  series.points.size(), series.points.size() == 1 ? "" : "s",
                  base::quantity_text(series.points.front().times.median, "s"), series.points.front().trials,
                  base::quantity_text(last->times.median, "s"), last->trials)};
  if (!series.held_back.empty())
    sentences.push_back(
        fmt::format("{} kernel{} the fastest alone but made the whole model slower, and {} not used in it.",
                    series.held_back.size(), series.held_back.size() == 1 ? " was" : "s were",
                    series.held_back.size() == 1 ? "is" : "are"));
  if (series.skipped > 0)
    sentences.push_back(
        fmt::format("After {} round{} it was not measured, since all these measurements took {} and may take "
                    "a tenth of the "
                    "tuning time.",
                    series.skipped, series.skipped == 1 ? "" : "s", base::clock_text(series.cost_seconds)));
  return sentences;
}

}  // namespace kernelscape::study
