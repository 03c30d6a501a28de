#include "core/session/first_failures.h"

#include <vector>

namespace kernelscape {

std::optional<FailureText> FirstFailures::add(const Configuration& configuration, ErrorCategory category,
                                              std::string_view message) {
  if (category == ErrorCategory::NoError) {
    succeeded_ = true;
    configurations_.clear();
  }
  if (succeeded_ || category == ErrorCategory::InstantiationError) return std::nullopt;
  FailureText failure = failure_text(category, message);
  std::string signature = signature_of(configuration, failure);
  const bool first = !signature_;
  differ_ = differ_ || (!first && *signature_ != signature);
  if (!differ_ && std::ssize(configurations_) < max_counted_) configurations_.insert(configuration);
  if (!first) return std::nullopt;
  signature_ = std::move(signature);
  return failure;
}

/** Texts among a configuration's values may stand in messages; numbers never count there. */
std::string FirstFailures::signature_of(const Configuration& configuration,
                                        const FailureText& failure) const {
  std::vector<std::string> values;
  for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob) {
    const Knob& chosen = space_.knobs()[knob];
    if (chosen.kind() != KnobKind::Categorical) continue;
    if (const auto* text = std::get_if<std::string>(&chosen.value(configuration.indices[knob])))
      values.push_back(*text);
  }
  return failure_signature(failure, values);
}

}  // namespace kernelscape
