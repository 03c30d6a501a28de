#include "core/trial/trial_fields.h"

namespace kernelscape {

bool plausible(const Measurement& measurement) {
  bool all = !measurement.resources || measurement.resources->plausible();
  for_each_field<trial_fields>([&](auto field) {
    if constexpr (std::is_same_v<typename decltype(field)::Owner, Measurement>)
      all = all && plausible(field, value_in(field, measurement));
  });
  return all;
}

}  // namespace kernelscape
