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
  /** @param path the model's file  @param cut the data that cut_weights() left in it */
  ModelConstants(std::filesystem::path path, const std::vector<CutData>& cut, ExternalData external)
      : path_(std::move(path)), cut_(cut), external_(external) {}

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

  std::filesystem::path path_;
  const std::vector<CutData>& cut_;
  ExternalData external_;
  std::int64_t held_ = 0;
};

}  // namespace kernelscape::network
