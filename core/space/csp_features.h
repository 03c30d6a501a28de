#pragma once

#include "core/space/csp.h"
#include "core/space/features.h"

namespace kernelscape::space {

/**
 * The values of all variables of a space's CSP except constants, in its order (Heron, section 5): elements of
 * knobs, and variables that constraints derive from them, such as the bytes of a buffer or the threads of a
 * block.
 */
class CspFeatures final : public FeatureExtractor {
 public:
  /** @param limits constraints whose variables are features too, whether they restrict the members or not */
  explicit CspFeatures(SearchSpace space, const ConstraintSystem& limits = {});
  std::string name() const override { return "csp"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }
  void write(const Configuration& configuration, std::span<float> row) const override;

 private:
  SearchSpace space_;
  CompiledVariables variables_;
  std::vector<VariableId> columns_;
  std::vector<std::string> names_;
};

}  // namespace kernelscape::space
