#pragma once

#include <string>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

/** Numbers that describe a configuration to a surrogate: equal in length for every member. */
class FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;
  virtual std::string name() const = 0;
  virtual int version() const = 0;
  virtual const std::vector<std::string>& names() const = 0;
  /** @return names().size() numbers */
  virtual std::vector<float> compute(const Configuration& configuration) const = 0;
};

/** AutoTVM's "knob" features: all factors, every option's value, each item's place in a permutation. */
class KnobFeatures final : public FeatureExtractor {
 public:
  explicit KnobFeatures(SearchSpace space);
  std::string name() const override { return "knob"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }
  std::vector<float> compute(const Configuration& configuration) const override;

 private:
  SearchSpace space_;
  std::vector<std::string> names_;
};

}  // namespace kernelscape
