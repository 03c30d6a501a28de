#include "core/session/first_failures.h"

#include <vector>

namespace kernelscape::session {

std::optional<trial::FailureText> FirstFailures::add(const space::Configuration& configuration,
                                                     trial::ErrorCategory category,
                                                     std::string_view message) {
  if (category == trial::ErrorCategory::NoError) {
    succeeded_ = true;
    configurations_.clear();
  }
  if (succeeded_ || category == trial::ErrorCategory::InstantiationError) return std::nullopt;
  trial::FailureText failure = trial::failure_text(category, message);
  std::string signature = signature_of(configuration, failure);
  const bool first = !signature_;
  differ_ = differ_ || (!first && *signature_ != signature);
  if (!differ_ && std::ssize(configurations_) < max_counted_) configurations_.insert(configuration);
  if (!first) return std::nullopt;
  signature_ = std::move(signature);
  return failure;
}

/** Texts among a configuration's values may stand in messages; numbers never count there. */
std::string FirstFailures::signature_of(const space::Configuration& configuration,
                                        const trial::FailureText& failure) const {
  std::vector<std::string> values;
  for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob) {
    const space::Knob& chosen = space_.knobs()[knob];
    if (chosen.kind() != space::KnobKind::Categorical) continue;
    if (const auto* text = std::get_if<std::string>(&chosen.value(configuration.indices[knob])))
      values.push_back(*text);
  }
  return trial::failure_signature(failure, values);
}

}  // namespace kernelscape::session
