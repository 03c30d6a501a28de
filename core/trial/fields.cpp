#include "core/trial/fields.h"

namespace kernelscape::trial {

bool plausible(const Measurement& measurement) {
  bool all = (!measurement.resources || measurement.resources->plausible()) &&
             plausible_metrics(measurement.metrics);
  for_each_field<trial_fields>([&](auto field) {
    if constexpr (std::is_same_v<typename decltype(field)::Owner, Measurement>)
      all = all && plausible(field, value_in(field, measurement));
  });
  for_each_field<probe_fields>(
      [&](auto field) { all = all && plausible(field, value_in(field, measurement)); });
  return all;
}

bool has_probes(const Measurement& measurement) {
  bool any = false;
  for_each_field<probe_fields>([&](auto field) { any = any || value_in(field, measurement) > 0; });
  return any;
}

bool has_probes(const Row& row) {
  bool any = false;
  for_each_field<probe_fields>([&](auto field) { any = any || probe_in(field, row) > 0; });
  return any;
}

}  // namespace kernelscape::trial
