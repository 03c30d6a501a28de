#include "core/study/latency_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kernelscape::study {

Status read_latency_number(const space::Json& json, const std::string& name, double& number) {
  const space::Json* found = space::member_of(json, name);
  constexpr double largest = 1e9;
  if (found == nullptr || !found->is_number() || !(found->get<double>() >= 0) ||
      !(found->get<double>() <= largest))
    return fail(ErrorCode::InvalidArgument, fmt::format("the latency of a model has no valid \"{}\"", name));
  number = found->get<double>();
  return {};
}

Result<std::int64_t> latency_count(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  constexpr std::int64_t largest = 1'000'000;
  if (found == nullptr || !found->is_number_integer() || found->get<std::int64_t>() < 0 ||
      found->get<std::int64_t>() > largest)
    return fail(ErrorCode::InvalidArgument, fmt::format("the latency of a model has no valid \"{}\"", name));
  return found->get<std::int64_t>();
}

std::string latency_text_member(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

Status read_latency_times(const space::Json& json, const std::string& prefix, LatencyTimes& times) {
  TRY(read_latency_number(json, prefix + "median_seconds", times.median));
  TRY(read_latency_number(json, prefix + "first_quartile_seconds", times.first_quartile));
  return read_latency_number(json, prefix + "third_quartile_seconds", times.third_quartile);
}

void write_latency_times(const LatencyTimes& times, const std::string& prefix, space::Json& json) {
  json[prefix + "median_seconds"] = times.median;
  json[prefix + "first_quartile_seconds"] = times.first_quartile;
  json[prefix + "third_quartile_seconds"] = times.third_quartile;
}

Status read_latency_parts(const space::Json& json, LatencyParts& parts) {
  TRY(read_latency_number(json, "layer_seconds", parts.layers));
  TRY(read_latency_number(json, "operator_seconds", parts.operators));
  return read_latency_number(json, "conversion_seconds", parts.conversions);
}

void write_latency_parts(const LatencyParts& parts, space::Json& json) {
  json["layer_seconds"] = parts.layers;
  json["operator_seconds"] = parts.operators;
  json["conversion_seconds"] = parts.conversions;
}

}  // namespace kernelscape::study
