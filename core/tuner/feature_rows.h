#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/space/features.h"

namespace kernelscape {

/** The features of configurations, one row after the other, as surrogates take them. */
class FeatureRows {
 public:
  /** @param features not null */
  explicit FeatureRows(std::shared_ptr<const FeatureExtractor> features)
      : features_(std::move(features)), columns_(features_->names().size()) {}

  /** The same features of no configuration. */
  FeatureRows none() const { return FeatureRows(features_); }

  /** A row more, of this configuration. */
  void add(const Configuration& configuration) {
    values_.resize(values_.size() + columns_);
    features_->write(configuration, std::span(values_).last(columns_));
  }

  /** @param row `columns()` numbers, made elsewhere */
  void add_row(std::span<const float> row) { values_.insert(values_.end(), row.begin(), row.end()); }

  /** These configurations alone, in the memory of those before. */
  void assign(std::span<const Configuration> configurations) {
    values_.resize(configurations.size() * columns_);
    for (std::size_t i = 0; i < configurations.size(); ++i)
      features_->write(configurations[i], std::span(values_).subspan(i * columns_, columns_));
  }

  std::size_t columns() const { return columns_; }  ///< features per row
  /** Of the columns, in order. */
  const std::vector<std::string>& names() const { return features_->names(); }
  /** All rows, one after the other; valid until one is added. */
  std::span<const float> values() const { return values_; }
  /** Features of one configuration; valid until a row is added. @param number from 0 */
  std::span<const float> row(std::size_t number) const {
    return values().subspan(number * columns_, columns_);
  }

 private:
  std::shared_ptr<const FeatureExtractor> features_;
  std::size_t columns_;
  std::vector<float> values_;
};

}  // namespace kernelscape
