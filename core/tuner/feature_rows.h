#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/space/features.h"

namespace kernelscape::tuner {

/** The features of configurations, one row after the other, as surrogates take them. */
class FeatureRows {
 public:
  /** @param features not null */
  explicit FeatureRows(std::shared_ptr<const space::FeatureExtractor> features)
      : features_(std::move(features)), columns_(features_->names().size()) {}

  /** Returns an object with the same features and no rows. */
  FeatureRows none() const { return FeatureRows(features_); }

  /** Appends the features of a configuration. */
  void add(const space::Configuration& configuration) {
    values_.resize(values_.size() + columns_);
    features_->write(configuration, std::span(values_).last(columns_));
  }

  /** Appends a row that was computed elsewhere. @param row `columns()` numbers */
  void add_row(std::span<const float> row) { values_.insert(values_.end(), row.begin(), row.end()); }

  /** Replaces all rows by those of these configurations and reuses the memory. */
  void assign(std::span<const space::Configuration> configurations) {
    values_.resize(configurations.size() * columns_);
    for (std::size_t i = 0; i < configurations.size(); ++i)
      features_->write(configurations[i], std::span(values_).subspan(i * columns_, columns_));
  }

  std::size_t columns() const { return columns_; }  ///< features per row
  /** Returns the names of the columns, in order. */
  const std::vector<std::string>& names() const { return features_->names(); }
  /** Returns all rows, one after the other; valid until a row is added. */
  std::span<const float> values() const { return values_; }
  /** Returns the features of one configuration; valid until a row is added. @param number from 0 */
  std::span<const float> row(std::size_t number) const {
    return values().subspan(number * columns_, columns_);
  }

 private:
  std::shared_ptr<const space::FeatureExtractor> features_;
  std::size_t columns_;
  std::vector<float> values_;
};

}  // namespace kernelscape::tuner
