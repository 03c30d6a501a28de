#include "core/predictor/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/surrogate/boosted_trees.h"

namespace kernelscape::predictor {
namespace {

constexpr std::array<std::string_view, 5> kind_texts = {"tokens", "one-shot", "perceptron", "trees", "lstm"};

/// Limit for the columns of a row: ten times those of the current features. Networks have additional limits
/// of their own.
constexpr std::size_t max_columns = 1 << 14;

std::unexpected<Error> no_model(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message), "train another predictor");
}

class NetworkModel final : public RegressionModel {
 public:
  explicit NetworkModel(surrogate::NeuralNetwork network) : network_(std::move(network)) {}
  void predict(std::span<const float> rows, std::span<float> values) const override {
    network_.predict(rows, values);
  }

 private:
  surrogate::NeuralNetwork network_;
};

class TreesModel final : public RegressionModel {
 public:
  explicit TreesModel(surrogate::BoostedTrees trees) : trees_(std::move(trees)) {}
  void predict(std::span<const float> rows, std::span<float> values) const override {
    for (std::size_t row = 0; row < values.size(); ++row)
      values[row] = trees_.predict(rows.subspan(row * trees_.columns(), trees_.columns()));
  }

 private:
  surrogate::BoostedTrees trees_;
};

Result<std::shared_ptr<const RegressionModel>> network_model(const surrogate::NetworkShape& shape,
                                                             std::span<const float> numbers) {
  // Checked before they are copied.
  if (TRY(surrogate::NeuralNetwork::parameter_count(shape)) != numbers.size())
    return no_model(fmt::format("a network of this shape does not have {} numbers", numbers.size()));
  surrogate::NeuralNetwork network =
      TRY(surrogate::NeuralNetwork::from_parameters(shape, {numbers.begin(), numbers.end()}));
  return std::make_shared<const NetworkModel>(std::move(network));
}

Result<std::shared_ptr<const RegressionModel>> trees_model(std::size_t columns,
                                                           std::span<const float> numbers) {
  Result<surrogate::BoostedTrees> trees = surrogate::BoostedTrees::from_numbers(numbers);
  if (!trees) return no_model(trees.error().message);
  if (trees->columns() != columns)
    return no_model(fmt::format("its trees read {} columns, not {}", trees->columns(), columns));
  return std::make_shared<const TreesModel>(*std::move(trees));
}

surrogate::NetworkKind network_kind(Kind kind) {
  switch (kind) {
    case Kind::OneShot:
      return surrogate::NetworkKind::OneShot;
    case Kind::Perceptron:
      return surrogate::NetworkKind::Perceptron;
    case Kind::Lstm:
      return surrogate::NetworkKind::Lstm;
    default:
      return surrogate::NetworkKind::Tokens;
  }
}

}  // namespace

std::string_view to_string(Kind kind) { return kind_texts[static_cast<std::size_t>(kind)]; }

std::optional<Kind> predictor_kind(std::string_view text) {
  const auto found = std::ranges::find(kind_texts, text);
  if (found == kind_texts.end()) return std::nullopt;
  return static_cast<Kind>(found - kind_texts.begin());
}

Status check_shape(const ModelShape& shape) {
  const surrogate::NetworkShape& network = shape.network;
  if (network.columns < 1 || network.columns > max_columns)
    return no_model(fmt::format("rows of {} columns are not supported", network.columns));
  if (shape.kind == Kind::Trees) return {};
  if (network.kind != network_kind(shape.kind)) return no_model("its network has another kind");
  const auto counted = surrogate::NeuralNetwork::parameter_count(network);
  return counted ? Status() : Status(std::unexpected(counted.error()));
}

Result<std::shared_ptr<const RegressionModel>> RegressionModel::from_numbers(const ModelShape& shape,
                                                                             std::span<const float> numbers) {
  TRY(check_shape(shape));
  if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
    return no_model("one of its numbers is not finite");
  if (shape.kind == Kind::Trees) return trees_model(shape.network.columns, numbers);
  return network_model(shape.network, numbers);
}

}  // namespace kernelscape::predictor
