#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/tuner/encoded_tuner.h"
#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/** One line per tuner, in the order of the documentation; each is a function in the tuner's own file. */
#define KERNELSCAPE_TUNERS(ENTRY) \
  ENTRY(random_tuner)             \
  ENTRY(grid_tuner)               \
  ENTRY(ga_tuner)                 \
  ENTRY(sa_tuner)                 \
  ENTRY(xgb_tuner)                \
  ENTRY(nose_tuner)               \
  ENTRY(opevo_tuner)              \
  ENTRY(gbfs_tuner)               \
  ENTRY(na2c_tuner)               \
  ENTRY(adatune_tuner)            \
  ENTRY(gp_tuner)                 \
  ENTRY(one_shot_tuner)           \
  ENTRY(heron_tuner)              \
  ENTRY(cga_1_tuner)              \
  ENTRY(ga_1_tuner)               \
  ENTRY(ga_2_tuner)               \
  ENTRY(ga_3_tuner)               \
  ENTRY(heron_rand_tuner)         \
  ENTRY(heron_sa_tuner)           \
  ENTRY(heron_ga_tuner)           \
  ENTRY(de_tuner)                 \
  ENTRY(pso_tuner)                \
  ENTRY(mls_tuner)                \
  ENTRY(greedy_ils_tuner)         \
  ENTRY(basin_hopping_tuner)      \
  ENTRY(tpe_tuner)                \
  ENTRY(smac_tuner)               \
  ENTRY(auc_bandit_tuner)         \
  ENTRY(cma_es_tuner)             \
  ENTRY(ansor_tuner)              \
  ENTRY(lfbo_tuner)               \
  ENTRY(chameleon_tuner)

#define KERNELSCAPE_DECLARE(function) Declaration function();
KERNELSCAPE_TUNERS(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

const std::vector<Declaration>& tuner_registry() {
#define KERNELSCAPE_CALL(function) with_encodings(function()),
  static const std::vector<Declaration> registry{KERNELSCAPE_TUNERS(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return registry;
}

const std::vector<trial::SeriesDescription>& described_series() {
  static const std::vector<trial::SeriesDescription> described = [] {
    std::vector<trial::SeriesDescription> all;
    for (const Declaration& tuner : tuner_registry()) {
      for (const trial::SeriesDescription& series : tuner.series) {
        const auto known = std::ranges::find(all, series.name, &trial::SeriesDescription::name);
        if (known == all.end()) {
          all.push_back(series);
        } else if (!series.maker.empty()) {
          known->maker += ", " + series.maker;
        }
      }
    }
    return all;
  }();
  return described;
}

Result<const Declaration*> find_tuner(std::string_view name) {
  const auto& registry = tuner_registry();
  const auto found = std::ranges::find(registry, name, &Declaration::name);
  if (found != registry.end()) return &*found;
  std::vector<std::string> known;
  for (const Declaration& tuner : registry) known.push_back(tuner.name);
  return fail(ErrorCode::NotFound, fmt::format("there is no tuner {}", base::quoted_line(name)),
              base::suggest(name, known));
}

Sampling sampling_of(std::string_view tuner) {
  const auto found = find_tuner(tuner);
  return found ? (*found)->sampling : Sampling::Guided;
}

}  // namespace kernelscape::tuner
