#include "core/surrogate/network/linear.h"

#include "core/surrogate/network/float_buffer.h"
#include "core/surrogate/network/lane_loops.h"
#include "core/surrogate/network/sgemm.h"

namespace kernelscape::surrogate {

void apply_linear(const Linear& layer, const float* parameters, const LinearInput& input, float* output) {
  fill_with_biases(parameters + layer.biases, layer.outputs, output);
  multiply({layer.outputs, block_rows, layer.inputs}, {parameters + layer.weights, layer.inputs},
           {input.data, input.by_row ? input.stride : block_rows, input.by_row}, 1, output, block_rows);
}

void add_linear_gradient(const Linear& layer, const LinearInput& input, const float* output_gradient,
                         float* gradient) {
  multiply({layer.outputs, layer.inputs, block_rows}, {output_gradient, block_rows},
           {input.data, input.by_row ? input.stride : block_rows, !input.by_row}, 1, gradient + layer.weights,
           layer.inputs);
  add_row_sums(output_gradient, layer.outputs, gradient + layer.biases);
}

void linear_input_gradient(const Linear& layer, const float* parameters, const float* output_gradient,
                           float* input_gradient) {
  multiply({layer.inputs, block_rows, layer.outputs}, {parameters + layer.weights, layer.inputs, true},
           {output_gradient, block_rows}, 0, input_gradient, block_rows);
}

void apply_norm(const Norm& norm, const float* parameters, const float* input, const NormTrace& trace,
                float* output) {
  normalize({norm.features, parameters + norm.scales, parameters + norm.shifts}, input, trace.normalized,
            trace.inverse_deviations, output);
}

void add_norm_gradient(const Norm& norm, const float* parameters, const NormTrace& trace,
                       const float* output_gradient, float* gradient, float* input_gradient) {
  normalize_gradient({norm.features, parameters + norm.scales, parameters + norm.shifts}, trace.normalized,
                     trace.inverse_deviations, output_gradient, gradient + norm.scales,
                     gradient + norm.shifts, input_gradient);
}

}  // namespace kernelscape::surrogate
