#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/measure/worker/graph_messages.h"
#include "core/network/model_without_weights.h"
#include "core/network/open_graph.h"

namespace kernelscape::network {

/** Finds the elements of a model's constants. What the worker reports about them is untrusted. */
class ModelConstants {
 public:
  /** @param path the model's file, absolute  @param cut the model as it was read from it */
  ModelConstants(const std::filesystem::path& path, const CutModel& cut, ExternalData external);

  /** Sets the data of a constant whose name, type and shape are set. */
  Status set(const measure::ModelValue& reported, graph::Value& value);

 private:
  /** Counts bytes that are held in memory. InvalidArgument if they are too many. */
  Status hold(const graph::Value& value, std::int64_t byte_count);
  Status set_repeated(const measure::ModelValue& reported, graph::Value& value, std::int64_t byte_count);
  Status set_cut(const measure::ModelValue& reported, graph::Value& value, std::int64_t byte_count);
  Status set_varints(const CutData& data, graph::Value& value, std::int64_t byte_count);
  Status set_external(const measure::ModelValue& reported, graph::Value& value,
                      std::int64_t byte_count) const;
  /** Returns the file that a model names, without links. Refuses one outside of the model's folders. */
  Result<std::filesystem::path> external_file(const measure::ModelValue& reported,
                                              const graph::Value& value) const;
  /** Returns a part of the model's file. */
  graph::FileRange part_of_model(const CutData& data) const {
    return {.file = file_, .offset = data.offset, .byte_count = data.byte_count, .identity = cut_.file};
  }

  std::filesystem::path folder_;  ///< of the model as it was named; what it names lies there
  std::filesystem::path file_;    ///< the model's, without links
  const CutModel& cut_;
  ExternalData external_;
  std::int64_t held_ = 0;
};

}  // namespace kernelscape::network
