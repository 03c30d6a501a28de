#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/predictor/file.h"
#include "core/predictor/predictor.h"
#include "tests/predictor/forged_predictor.h"

using namespace kernelscape;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

/** It predicts of rows of any numbers. */
void check_model(const predictor::File& file) {
  const auto model = predictor::RegressionModel::from_numbers(file.shape, file.numbers);
  must(model.has_value());
  constexpr std::size_t rows = 3;
  const std::size_t columns = file.shape.network.columns;
  for (const float number : {0.0F, 1.0F, -1e30F}) {
    std::vector<float> numbers(rows * columns, number);
    file.row_scale.apply(numbers);
    std::vector<float> values(rows);
    (*model)->predict(numbers, values);
    for (float& value : values) value = file.label_scale.fitness(value);
  }
}

/** What was read once is written as something that says the same. */
void check_again(const predictor::File& file) {
  const std::string bytes = predictor::predictor_to_bytes(file);
  const Result<predictor::File> again = predictor::predictor_from_bytes(bytes, "fuzzed");
  must(again && again->description == file.description && again->shape == file.shape);
  must(again->label_scale == file.label_scale && again->row_scale == file.row_scale);
  must(predictor::predictor_to_bytes(*again) == bytes);
}

}  // namespace

/** A predictor's file whose hash is right, whatever else it says, gives a predictor that predicts, or an
 * error that names it. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file =
      predictor_tests::with_right_hash(std::string(reinterpret_cast<const char*>(data), size));
  const auto predictor = predictor::Predictor::from_bytes(file, "fuzzed");
  if (!predictor) {
    must(predictor.error().message.contains("fuzzed") && !predictor.error().hint.empty());
    return 0;
  }
  must((*predictor)->bytes() == file);
  const Result<predictor::File> read = predictor::predictor_from_bytes(file, "fuzzed");
  must(read && read->description == (*predictor)->description());
  check_model(*read);
  check_again(*read);
  return 0;
}
