#include "core/surrogate/network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/surrogate/network/float_buffer.h"
#include "core/surrogate/network/network_pass.h"

namespace kernelscape::surrogate {
namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20;
constexpr std::size_t largest_size = 65536;
constexpr std::size_t max_layers = 256;

const NetworkKindFunctions& functions_of(NetworkKind kind) {
  switch (kind) {
    case NetworkKind::Tokens:
      return token_encoder;
    case NetworkKind::OneShot:
      return one_shot_network;
    case NetworkKind::Lstm:
      return lstm;
    case NetworkKind::Perceptron:
      break;
  }
  return perceptron;
}

struct NamedSize {
  const char* name = nullptr;
  std::size_t size = 0;
  bool used = false;  ///< by this kind of network
  std::size_t most = largest_size;
  std::size_t least = 1;
};

/** Refuses sizes whose products would overflow. */
Status check_sizes(const NetworkShape& shape) {
  const bool has_tokens = shape.kind == NetworkKind::Tokens;
  const bool has_layers = shape.kind != NetworkKind::Perceptron;
  const bool is_encoder = has_tokens || shape.kind == NetworkKind::OneShot;
  const std::array<NamedSize, 9> sizes{
      {{"columns", shape.columns, true},
       {"loops", shape.tokens.loops, has_tokens},
       {"loop columns", shape.tokens.loop_columns, has_tokens},
       {"task columns", shape.tokens.task_columns, has_tokens},
       {"knob columns", shape.tokens.knob_columns, has_tokens},
       {"width", shape.width, true},
       {"layers", shape.layers, has_layers, max_layers},
       {"heads", shape.heads, is_encoder, largest_size, has_tokens ? 1U : 0U},
       {"feed-forward units", shape.feed_forward, is_encoder}}};
  for (const NamedSize& size : sizes) {
    const std::size_t least = size.used ? size.least : 0;
    const std::size_t most = size.used ? size.most : 0;
    if (size.size >= least && size.size <= most) continue;
    return fail(ErrorCode::InvalidArgument,
                size.used ? fmt::format("a network's {} cannot be {}", size.name, size.size)
                          : fmt::format("this kind of network has no {}", size.name),
                size.used ? fmt::format("choose {} to {}", least, most) : "");
  }
  return {};
}

Status check_fit(const NetworkShape& shape) {
  if (shape.kind == NetworkKind::Tokens && shape.columns != shape.tokens.columns()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a row of {} numbers cannot contain tokens of {}",
                                                        shape.columns, shape.tokens.columns()));
  }
  if (shape.heads > 0 && shape.width % shape.heads != 0) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the width {1} is not a multiple of {0} heads", shape.heads, shape.width),
                "choose a width that is a multiple of the heads");
  }
  if (shape.kind == NetworkKind::OneShot && shape.width != shape.columns) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a network whose only token is a row of {} numbers cannot have the width {}",
                            shape.columns, shape.width));
  }
  return {};
}

/** Lists the parameters of a valid shape without allocating them. */
Result<ParameterList> list_parameters(const NetworkShape& shape) {
  TRY(check_sizes(shape));
  TRY(check_fit(shape));
  const NetworkKindFunctions& functions = functions_of(shape.kind);
  ParameterList list = functions.parameters(shape);
  if (list.count() * sizeof(float) > max_bytes ||
      functions.numbers_per_row(shape) * block_rows * sizeof(float) > max_bytes) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("a network of {} parameters needs more than {} MiB", list.count(), max_bytes >> 20),
        "choose smaller sizes");
  }
  return list;
}

/** Passes blocks of rows through a network. */
class Blocks {
 public:
  Blocks(const NetworkShape& shape, std::span<const float> parameters, bool has_gradient)
      : columns_(shape.columns),
        pass_(functions_of(shape.kind).make_pass({shape, parameters.data(), has_gradient})),
        rows_(block_rows * columns_),
        values_(block_rows) {}

  /** @param first row of the block @param count of all rows @return the values of the block's rows */
  std::span<const float> forward(std::span<const float> rows, std::size_t first, std::size_t count,
                                 const Dropout& dropout) {
    const std::size_t here = std::min(block_rows, count - first);
    const auto given = rows.subspan(first * columns_, here * columns_);
    std::fill(std::ranges::copy(given, rows_.data()).out, rows_.data() + rows_.size(), 0.0F);
    pass_->forward(rows_.data(), dropout, values_.data());
    return {values_.data(), here};
  }

  NetworkPass& pass() { return *pass_; }

 private:
  std::size_t columns_;
  std::unique_ptr<NetworkPass> pass_;
  FloatBuffer rows_;
  FloatBuffer values_;
};

}  // namespace

Result<std::size_t> NeuralNetwork::parameter_count(const NetworkShape& shape) {
  const ParameterList list = TRY(list_parameters(shape));
  return list.count();
}

Result<NeuralNetwork> NeuralNetwork::make(const NetworkShape& shape, base::Random random) {
  const ParameterList list = TRY(list_parameters(shape));
  return NeuralNetwork(shape, list.draw(std::move(random)));
}

Result<NeuralNetwork> NeuralNetwork::from_parameters(const NetworkShape& shape,
                                                     std::vector<float> parameters) {
  const std::size_t count = TRY(parameter_count(shape));
  if (parameters.size() != count) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("there are {} numbers for a network of {} parameters", parameters.size(), count));
  }
  if (!std::ranges::all_of(parameters, [](float number) { return std::isfinite(number); }))
    return fail(ErrorCode::InvalidArgument, "a parameter of the network is not a finite number");
  return NeuralNetwork(shape, std::move(parameters));
}

void NeuralNetwork::predict(std::span<const float> rows, std::span<float> values) const {
  Blocks blocks(shape_, parameters_, false);
  for (std::size_t first = 0; first < values.size(); first += block_rows)
    std::ranges::copy(blocks.forward(rows, first, values.size(), {}), values.begin() + std::ptrdiff_t(first));
}

double NeuralNetwork::add_gradient(std::span<const float> rows, std::span<const float> labels,
                                   TrainingPass& pass, std::span<float> gradient) const {
  const Dropout dropout{pass.dropout, &pass.random};
  Blocks blocks(shape_, parameters_, true);
  FloatBuffer value_gradient(block_rows);
  double loss = 0;
  for (std::size_t first = 0; first < labels.size(); first += block_rows) {
    const std::span<const float> values = blocks.forward(rows, first, labels.size(), dropout);
    std::fill_n(value_gradient.data(), block_rows, 0.0F);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float difference = values[i] - labels[first + i];
      loss += static_cast<double>(difference) * difference;
      value_gradient.data()[i] = 2 * difference;
    }
    blocks.pass().backward(dropout, value_gradient.data(), gradient.data());
  }
  return loss;
}

}  // namespace kernelscape::surrogate
