#include <Eigen/Core>
#include <vector>

#include "core/surrogate/network/lane_loops.h"
#include "core/surrogate/network/network_pass.h"

namespace kernelscape::surrogate {
namespace {

using Numbers = Eigen::Map<Eigen::ArrayXf>;

/** The gates of a layer in the order of their rows: input, cell and output, each of `width` units. */
struct LstmLayer {
  Linear gates;
  std::size_t more_biases = 0;  ///< position of PyTorch's second biases, as many as the first

  std::size_t width() const { return gates.outputs / 3; }
};

struct LstmLayers {
  explicit LstmLayers(const NetworkShape& shape) {
    const double bound = linear_bound(shape.width);
    for (std::size_t i = 0; i < shape.layers; ++i) {
      LstmLayer layer;
      layer.gates.inputs = i == 0 ? shape.columns : shape.width;
      layer.gates.outputs = 3 * shape.width;
      layer.gates.weights = list.add_uniform(layer.gates.inputs * layer.gates.outputs, bound);
      layer.gates.biases = list.add_uniform(layer.gates.outputs, bound);
      layer.more_biases = list.add_uniform(layer.gates.outputs, bound);
      layers.push_back(layer);
    }
    read_out = list.add_linear(shape.width, 1);
  }

  ParameterList list;
  std::vector<LstmLayer> layers;
  Linear read_out;
};

/** Intermediate results of a layer's pass, most of which the gradient needs. */
struct LstmTrace {
  LstmTrace(const LstmLayer& layer, bool kept)
      : gates(layer.gates.outputs * block_rows),
        cell(layer.width() * block_rows),
        output(layer.width() * block_rows),
        factors(kept ? layer.width() * block_rows : 0) {}

  FloatBuffer gates;    ///< sigmoid of the input gate, tanh of the cell gate, sigmoid of the output gate
  FloatBuffer cell;     ///< tanh of the new cell state
  FloatBuffer output;   ///< after dropout
  FloatBuffer factors;  ///< dropout factors
};

/** Returns one of the three gates in a matrix of all. */
Numbers gate(FloatBuffer& gates, std::size_t number) {
  const std::size_t size = gates.size() / 3;
  return Numbers(gates.data() + number * size, static_cast<Eigen::Index>(size));
}

Numbers numbers_of(FloatBuffer& buffer) {
  return Numbers(buffer.data(), static_cast<Eigen::Index>(buffer.size()));
}

class LstmPass : public NetworkPass {
 public:
  explicit LstmPass(const PassSetup& setup)
      : parameters_(setup.parameters),
        columns_(setup.shape.columns),
        layers_(setup.shape),
        output_gradient_(setup.has_gradient ? setup.shape.width * block_rows : 0),
        gate_gradient_(setup.has_gradient ? 3 * setup.shape.width * block_rows : 0) {
    for (const LstmLayer& layer : layers_.layers) traces_.emplace_back(layer, setup.has_gradient);
  }

  void forward(float* rows, const Dropout& dropout, float* values) override {
    rows_ = rows;
    for (std::size_t i = 0; i < layers_.layers.size(); ++i) forward(i, dropout);
    fill_with_biases(parameters_ + layers_.read_out.biases, 1, values);
    add_weighted_rows(traces_.back().output.data(), parameters_ + layers_.read_out.weights, width(), values);
  }

  void backward(const Dropout& dropout, const float* value_gradient, float* gradient) override {
    add_row_sums(value_gradient, 1, gradient + layers_.read_out.biases);
    weighted_rows_gradient(traces_.back().output.data(), parameters_ + layers_.read_out.weights,
                           value_gradient, width(), gradient + layers_.read_out.weights,
                           output_gradient_.data());
    for (std::size_t i = layers_.layers.size(); i-- > 0;) backward(i, dropout, gradient);
  }

 private:
  std::size_t width() const { return layers_.read_out.inputs; }
  LinearInput input(std::size_t layer) const {
    return layer == 0 ? LinearInput{rows_, true, columns_} : LinearInput{traces_[layer - 1].output.data()};
  }
  /** Returns true if the outputs of a layer are dropped: those of all but the last, as in PyTorch. */
  bool drops(std::size_t layer, const Dropout& dropout) const {
    return dropout.drops() && layer + 1 < layers_.layers.size();
  }

  void forward(std::size_t number, const Dropout& dropout) {
    const LstmLayer& layer = layers_.layers[number];
    LstmTrace& trace = traces_[number];
    apply_linear(layer.gates, parameters_, input(number), trace.gates.data());
    for (std::size_t row = 0; row < layer.gates.outputs; ++row) {
      Numbers numbers(trace.gates.data() + row * block_rows, static_cast<Eigen::Index>(block_rows));
      numbers += parameters_[layer.more_biases + row];
    }
    Numbers input_gate = gate(trace.gates, 0);
    Numbers cell_gate = gate(trace.gates, 1);
    Numbers output_gate = gate(trace.gates, 2);
    input_gate = input_gate.logistic();
    cell_gate = cell_gate.tanh();
    output_gate = output_gate.logistic();
    Numbers cell = numbers_of(trace.cell);
    cell = (input_gate * cell_gate).tanh();
    numbers_of(trace.output) = output_gate * cell;
    if (!drops(number, dropout)) return;
    dropout.draw(trace.factors.size(), trace.factors.data());
    multiply_matrix(trace.factors.data(), width(), trace.output.data());
  }

  /** Replaces output_gradient_ by the layer's outputs with that by its inputs. */
  void backward(std::size_t number, const Dropout& dropout, float* gradient) {
    const LstmLayer& layer = layers_.layers[number];
    LstmTrace& trace = traces_[number];
    if (drops(number, dropout)) multiply_matrix(trace.factors.data(), width(), output_gradient_.data());
    const Numbers input_gate = gate(trace.gates, 0);
    const Numbers cell_gate = gate(trace.gates, 1);
    const Numbers output_gate = gate(trace.gates, 2);
    const Numbers cell = numbers_of(trace.cell);
    const Numbers slope = numbers_of(output_gradient_);
    gate(gate_gradient_, 2) = slope * cell * output_gate * (1.0F - output_gate);
    // By the cell state, which the product of the other two gates is.
    const Eigen::ArrayXf cell_slope = slope * output_gate * (1.0F - cell.square());
    gate(gate_gradient_, 0) = cell_slope * cell_gate * input_gate * (1.0F - input_gate);
    gate(gate_gradient_, 1) = cell_slope * input_gate * (1.0F - cell_gate.square());
    add_linear_gradient(layer.gates, input(number), gate_gradient_.data(), gradient);
    add_row_sums(gate_gradient_.data(), layer.gates.outputs, gradient + layer.more_biases);
    if (number > 0)
      linear_input_gradient(layer.gates, parameters_, gate_gradient_.data(), output_gradient_.data());
  }

  const float* parameters_;
  std::size_t columns_;
  LstmLayers layers_;
  const float* rows_ = nullptr;
  std::vector<LstmTrace> traces_;
  FloatBuffer output_gradient_;
  FloatBuffer gate_gradient_;
};

}  // namespace

const NetworkKindFunctions lstm{
    [](const NetworkShape& shape) { return shape.columns + shape.width * (4 + 6 * shape.layers); },
    [](const NetworkShape& shape) { return LstmLayers(shape).list; },
    [](const PassSetup& setup) -> std::unique_ptr<NetworkPass> { return std::make_unique<LstmPass>(setup); }};

}  // namespace kernelscape::surrogate
