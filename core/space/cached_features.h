#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/int128.h"
#include "core/space/features.h"

namespace kernelscape {

/** A row that a cache keeps. */
struct KeptRow {
  std::size_t place = 0;       ///< below CachedFeatures::places(), its configuration's for good
  bool computed = false;       ///< by the call that gave it
  double compute_seconds = 0;  ///< CPU time that computing it took, whoever did; 0 where `computed`
};

/**
 * Features of a space's configurations, kept once computed and shared by all who ask: any thread, without a
 * lock. What it gives is what it was made around gives.
 *
 * Memory is bounded. Where every configuration of the product fits, each has a place of its own and is
 * computed once (twice where two threads ask for it at the same time). In a larger space a configuration has
 * a few places that it shares with others; it is not kept where they are taken, and nothing is ever given up
 * for another. Places that nobody asked for cost no memory on systems that commit it when it is written.
 */
class CachedFeatures final : public FeatureExtractor {
 public:
  static constexpr std::size_t default_bytes = std::size_t{64} << 20;

  /** @param most_bytes of all rows together; at least one is kept */
  CachedFeatures(std::shared_ptr<const FeatureExtractor> features, SearchSpace space,
                 std::size_t most_bytes = default_bytes);

  std::string name() const override { return features_->name(); }
  int version() const override { return features_->version(); }
  const std::vector<std::string>& names() const override { return features_->names(); }
  void write(const Configuration& configuration, std::span<float> row) const override;
  /** As write(). @return where the row is kept; none: this call computed it, and it has no place */
  std::optional<KeptRow> write_kept(const Configuration& configuration, std::span<float> row) const;

  /** Rows that it has room for. */
  std::size_t places() const { return places_; }

 private:
  enum class Place : std::uint8_t { Empty, Written, Ready };  ///< Written: by a thread, at this moment

  std::span<float> row_at(std::size_t place) const { return {rows_.get() + place * columns_, columns_}; }
  std::size_t first_place(uint128 index) const;
  std::optional<KeptRow> compute_at(std::size_t place, uint128 index, const Configuration& configuration,
                                    std::span<float> row) const;

  std::shared_ptr<const FeatureExtractor> features_;
  SearchSpace space_;
  std::size_t columns_;
  bool whole_;  ///< every configuration has a place of its own
  std::size_t places_;
  std::unique_ptr<std::atomic<Place>[]> states_;
  std::unique_ptr<uint128[]> indices_;
  std::unique_ptr<float[]> compute_seconds_;
  std::unique_ptr<float[]> rows_;
};

}  // namespace kernelscape
