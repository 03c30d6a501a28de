#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/task/task.h"
#include "tests/exchange/named_format.h"

// What tests of other tuners' logs have in common.
namespace kernelscape::exchange_tests {

/** A trial's values by knob, as texts: "[6, 1, 32]", "vectorize", "512". */
inline std::map<std::string, std::string> shown_values(const exchange::ImportedTrials& part,
                                                       std::size_t trial) {
  std::map<std::string, std::string> shown;
  const space::Configuration& configuration = part.trials.at(trial).configuration;
  for (std::size_t i = 0; i < part.space.knobs().size(); ++i) {
    const space::Knob& knob = part.space.knobs()[i];
    std::string& text = shown[knob.name()];
    if (knob.kind() != space::KnobKind::Factorization) {
      text = space::to_string(knob.value(configuration.indices[i]));
      continue;
    }
    for (int position = 0; position < knob.element_count(); ++position)
      text += (position == 0 ? "[" : ", ") + std::to_string(knob.element(configuration.indices[i], position));
    text += "]";
  }
  return shown;
}

/** Whether some notice has these words. */
inline bool has_notice(const std::vector<std::string>& notices, const std::string& words) {
  for (const std::string& notice : notices)
    if (notice.contains(words)) return true;
  return false;
}

/** A name drawn of many, for what a log calls by name. */
inline std::string random_name(base::Random& random) {
  const std::vector<std::string> names{"conv2d", "T_add", "T_relu", "pad_temp", "dense", "softmax", "matmul"};
  return names[random.below(names.size())] + "_" + std::to_string(random.below(50));
}

/** Factors with this product, drawn prime by prime. */
inline std::vector<std::int64_t> random_factors(base::Random& random, std::int64_t product,
                                                std::size_t parts) {
  std::vector<std::int64_t> factors(parts, 1);
  for (std::int64_t prime = 2; product > 1; ++prime)
    for (; product % prime == 0; product /= prime) factors[random.below(parts)] *= prime;
  return factors;
}

inline std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + "]";
}

/** The task that a part is of. */
inline task::Task logged_task(const exchange::ImportedTrials& part) {
  return task::task_from_json(part.header.task_json).value();
}

}  // namespace kernelscape::exchange_tests
