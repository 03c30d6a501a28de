#include "core/task/tensor_operator.h"

#include <stdexcept>

namespace kernelscape::task {

std::string to_string(ScalarType type) {
  switch (type) {
    case ScalarType::F16:
      return "f16";
    case ScalarType::BF16:
      return "bf16";
    case ScalarType::F32:
      return "f32";
    case ScalarType::F64:
      return "f64";
    case ScalarType::I8:
      return "i8";
    case ScalarType::U8:
      return "u8";
    case ScalarType::I32:
      return "i32";
  }
  throw std::logic_error("unknown scalar type");
}

std::int64_t bytes_of(ScalarType type) {
  switch (type) {
    case ScalarType::I8:
    case ScalarType::U8:
      return 1;
    case ScalarType::F16:
    case ScalarType::BF16:
      return 2;
    case ScalarType::F32:
    case ScalarType::I32:
      return 4;
    case ScalarType::F64:
      return 8;
  }
  throw std::logic_error("unknown scalar type");
}

std::int64_t TensorAccess::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

double TensorOperator::flops() const {
  double count = 2;
  for (const TensorAxis& axis : axes) count *= static_cast<double>(axis.extent);
  return count;
}

}  // namespace kernelscape::task
