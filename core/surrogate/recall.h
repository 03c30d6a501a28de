#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape::surrogate {

/** Returns the rank of every value, 0 for the largest; equal values keep their order. */
std::vector<std::size_t> descending_ranks(std::span<const float> values);

/**
 * Returns AutoTVM's average recall of a ranking model: (1 / n) * the sum over i < n of c_i, where c_i is the
 * share #{true rank of the first i by prediction <= i} / (i + 1). With fewer than n predictions, the missing
 * c_i are 0. Equal predictions keep their order.
 * @param predictions one score per item, larger is better
 * @param true_ranks `descending_ranks` of the labels
 */
double average_recall(std::span<const float> predictions, std::span<const std::size_t> true_ranks,
                      std::size_t n);

}  // namespace kernelscape::surrogate
