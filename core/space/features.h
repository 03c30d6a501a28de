#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::space {

/** Computes numbers that describe a configuration to a surrogate, the same number for every member. */
class FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;
  /** Returns the kind of features: "knob", "itervar", "curve", "csp". */
  virtual std::string name() const = 0;
  /** Returns the version, which changes whenever the computation of the numbers changes. */
  virtual int version() const = 0;
  /** Returns the names of the columns in order; their count is the length of every row. */
  virtual const std::vector<std::string>& names() const = 0;
  /**
   * Computes the features of a configuration. Thread-safe.
   * @param row names().size() numbers, all of which are written
   */
  virtual void write(const Configuration& configuration, std::span<float> row) const = 0;

  /** Returns the features of a configuration as a new row. Thread-safe. */
  std::vector<float> compute(const Configuration& configuration) const;
};

/** The available features of a space's configurations. */
struct FeatureSets {
  std::shared_ptr<const FeatureExtractor> knob;     ///< null: knob features of the space, uncached
  std::shared_ptr<const FeatureExtractor> itervar;  ///< null: there is no loop nest
  std::shared_ptr<const FeatureExtractor> curve;    ///< null: there is no loop nest
  /** Null: CSP features of the space, uncached. */
  std::shared_ptr<const FeatureExtractor> csp = nullptr;
};

enum class KnobSelection : std::uint8_t {
  All,
  Options  ///< all knobs except factorizations: AutoTVM's "other options"
};

/** AutoTVM's "knob" features: all factors, every option's value, each item's position in a permutation. */
class KnobFeatures final : public FeatureExtractor {
 public:
  explicit KnobFeatures(SearchSpace space, KnobSelection selection = KnobSelection::All);
  std::string name() const override { return "knob"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }
  void write(const Configuration& configuration, std::span<float> row) const override;

 private:
  SearchSpace space_;
  std::vector<std::size_t> selected_;  ///< positions of the selected knobs
  std::vector<std::string> names_;
};

}  // namespace kernelscape::space
