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

namespace kernelscape::space {

/** A row in the cache. */
struct KeptRow {
  std::size_t place = 0;       ///< below CachedFeatures::places(); permanent for its configuration
  bool computed = false;       ///< by the call that returned it
  double compute_seconds = 0;  ///< CPU time that computing it took another call; 0 if `computed`
};

/**
 * Features of a space's configurations, cached once computed. Thread-safe without a lock. Returns the same
 * numbers as the wrapped extractor.
 *
 * Memory is bounded. If every configuration of the product fits, each has its own place and is computed once
 * (twice if two threads request it at the same time). In a larger space a configuration has a few places that
 * it shares with others; it is not cached if these are taken, and rows are never evicted. Unused places cost
 * no memory on systems that commit memory when it is written.
 */
class CachedFeatures final : public FeatureExtractor {
 public:
  static constexpr std::size_t default_bytes = std::size_t{64} << 20;

  /** @param max_bytes maximum size of all rows together; at least one row is cached */
  CachedFeatures(std::shared_ptr<const FeatureExtractor> features, SearchSpace space,
                 std::size_t max_bytes = default_bytes);

  std::string name() const override { return features_->name(); }
  int version() const override { return features_->version(); }
  const std::vector<std::string>& names() const override { return features_->names(); }
  void write(const Configuration& configuration, std::span<float> row) const override;
  /**
   * As write().
   * @return the cached row; nullopt: this call computed the row, and there is no place for it
   */
  std::optional<KeptRow> write_kept(const Configuration& configuration, std::span<float> row) const;

  /** Returns the capacity in rows. */
  std::size_t places() const { return places_; }

 private:
  enum class Place : std::uint8_t { Empty, Written, Ready };  ///< Written: a thread is writing it

  std::span<float> row_at(std::size_t place) const { return {rows_.get() + place * columns_, columns_}; }
  std::size_t first_place(base::uint128 index) const;
  std::optional<KeptRow> compute_at(std::size_t place, base::uint128 index,
                                    const Configuration& configuration, std::span<float> row) const;

  std::shared_ptr<const FeatureExtractor> features_;
  SearchSpace space_;
  std::size_t columns_;
  bool whole_;  ///< every configuration has its own place
  std::size_t places_;
  std::unique_ptr<std::atomic<Place>[]> states_;
  std::unique_ptr<base::uint128[]> indices_;
  std::unique_ptr<float[]> compute_seconds_;
  std::unique_ptr<float[]> rows_;
};

}  // namespace kernelscape::space
