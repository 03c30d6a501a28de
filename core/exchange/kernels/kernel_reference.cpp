#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

/** The numerator of an index: "2 * x + rx - 1". */
std::string numerator(const AccessIndex& index, const std::vector<TensorAxis>& axes) {
  std::string text;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t factor = index.coefficients[axis];
    if (factor == 0) continue;
    const std::string sign = text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    const std::int64_t size = factor < 0 ? -factor : factor;
    text += sign + (size == 1 ? axes[axis].name : fmt::format("{} * {}", size, axes[axis].name));
  }
  if (text.empty()) return fmt::format("{}", index.offset);
  if (index.offset != 0) text += fmt::format(" {} {}", index.offset < 0 ? '-' : '+', std::abs(index.offset));
  return text;
}

/** Whether the index can leave the tensor, or the division a remainder. */
bool needs_check(const AccessIndex& index, const std::vector<TensorAxis>& axes, std::int64_t extent) {
  std::int64_t low = index.offset;
  std::int64_t high = index.offset;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t reach = index.coefficients[axis] * (axes[axis].extent - 1);
    (reach < 0 ? low : high) += reach;
  }
  return index.divisor != 1 || low < 0 || high >= extent;
}

/** The row-major position of a tensor's element from the expressions of its indices. */
std::string position_of(const std::vector<std::string>& indices, const std::vector<std::int64_t>& shape) {
  const auto factor = [](const std::string& text) { return text.contains(' ') ? "(" + text + ")" : text; };
  std::string position;
  for (std::size_t i = 0; i < indices.size(); ++i)
    position = i == 0 ? indices[i] : fmt::format("{} * {} + {}", factor(position), shape[i], indices[i]);
  return position.empty() ? "0" : position;
}

class ReferenceWriter {
 public:
  explicit ReferenceWriter(const ExportedKernel& kernel) : kernel_(kernel), op_(*kernel.measured.task.op) {}

  std::string run() {
    line("/* " + c_comment(kernel_.measured.task.text) + " */");
    line(fmt::format("static double {}_expected(long long number, const float *{}, const float *{},",
                     kernel_.name, plain(op_.inputs[0]), plain(op_.inputs[1])));
    line("                              double *magnitude, long long *position) {");
    ++depth_;
    spatial_axes();
    line("double sum = 0, size = 0;");
    const int outside = depth_;
    for (const TensorAxis& axis : op_.axes)
      if (axis.reduction) open_loop(axis);
    multiply_accumulate();
    while (depth_ > outside) {
      --depth_;
      line("}");
    }
    line("*magnitude = size;");
    line(fmt::format("*position = {};", position_of(indices_of(op_.output), op_.output.shape)));
    line("return sum;");
    --depth_;
    line("}");
    return text_;
  }

 private:
  /** A name that no axis has: of a matrix `b` and a batch `b` one must give way. */
  static std::string plain(const TensorAccess& tensor) { return "plain_" + tensor.tensor; }

  void line(const std::string& text) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth_, text); }

  /** The outputs' number counts the spatial axes, the last one fastest. */
  void spatial_axes() {
    std::int64_t step = 1;
    for (std::size_t i = op_.axes.size(); i-- > 0;) {
      const TensorAxis& axis = op_.axes[i];
      if (axis.reduction) continue;
      const std::string rest = step == 1 ? "number" : fmt::format("number / {}", step);
      line(fmt::format("const long long {} = {} % {};", axis.name, rest, axis.extent));
      step *= axis.extent;
    }
  }

  void open_loop(const TensorAxis& axis) {
    line(fmt::format("for (long long {0} = 0; {0} < {1}; ++{0}) {{", axis.name, axis.extent));
    ++depth_;
  }

  /** Expressions of the indices; those that need a check become variables first. */
  std::vector<std::string> indices_of(const TensorAccess& access) {
    std::vector<std::string> indices;
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      const AccessIndex& index = access.indices[i];
      const std::string value = numerator(index, op_.axes);
      if (!needs_check(index, op_.axes, access.shape[i])) {
        indices.push_back(value);
        continue;
      }
      const std::string name = fmt::format("{}_{}", access.tensor, i);
      line(fmt::format("const long long {} = {};", name, value));
      const std::string remainder =
          index.divisor == 1 ? "" : fmt::format(" || {} % {} != 0", name, index.divisor);
      line(fmt::format("if ({0} < 0 || {0} >= {1}{2}) continue;", name, access.shape[i] * index.divisor,
                       remainder));
      indices.push_back(index.divisor == 1 ? name : fmt::format("{} / {}", name, index.divisor));
    }
    return indices;
  }

  void multiply_accumulate() {
    std::vector<std::string> factors;
    for (const TensorAccess& input : op_.inputs) {
      const std::string position = position_of(indices_of(input), input.shape);
      factors.push_back(fmt::format("(double){}[{}]", plain(input), position));
    }
    line(fmt::format("const double product = {};", fmt::join(factors, " * ")));
    line("sum += product;");
    line("size += fabs(product);");
  }

  const ExportedKernel& kernel_;
  const TensorOperator& op_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string reference_function(const ExportedKernel& kernel) { return ReferenceWriter(kernel).run() + "\n"; }

}  // namespace kernelscape
