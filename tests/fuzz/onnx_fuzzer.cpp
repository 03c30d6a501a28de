#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <variant>

#include "core/network/model_constants.h"
#include "core/network/model_without_weights.h"
#include "tests/onnx/without_inference.h"

/** What this program itself does with a model: cuts its weights out, makes tasks of its nodes, and finds its
 * constants. The
 * library's inference between them is a confined worker's, and not ours to fix. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const network::ByteSource source = [&bytes](std::uint64_t offset, char* target, std::size_t count) {
    if (offset > bytes.size() || count > bytes.size() - offset) std::abort();
    std::memcpy(target, bytes.data() + offset, count);
    return true;
  };
  const Result<network::CutModel> left = network::cut_weights(source, bytes.size());
  if (left && left->bytes.size() > bytes.size()) std::abort();
  for (const task::Task& task : kernelscape::testing::tasks_without_inference(left ? left->bytes : bytes)) {
    const Result<task::Task> read = task::parse_task(task.text);
    if (!read || *read != task) std::abort();
  }
  // A constant's data is part of the model, or is refused.
  if (!left) return 0;
  network::ModelConstants constants("/nowhere/model.onnx", *left, network::ExternalData::InModelFolder);
  for (const measure::ModelValue& reported : kernelscape::testing::constants_without_inference(left->bytes)) {
    graph::Value value{.name = reported.name,
                       .type = static_cast<graph::ElementType>(reported.type),
                       .shape = reported.shape,
                       .constant = true,
                       .data = graph::FileRange()};
    if (!constants.set(reported, value)) continue;
    if (const auto* range = std::get_if<graph::FileRange>(&value.data);
        range != nullptr && (range->offset > size || range->byte_count > size - range->offset))
      std::abort();
  }
  return 0;
}
