#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::command_line {

/** The options of `export --network MODEL.onnx`. */
struct ModelExportOptions {
  std::string model;                    ///< path of an ONNX file
  std::string out;                      ///< folder
  std::vector<std::string> dimensions;  ///< "batch=1"
  std::string database;                 ///< empty: the default database
  bool external_data_anywhere = false;  ///< weights may be in files outside the model's folder
  bool exact = false;                   ///< no kernels of Winograd's algorithm
  bool force = false;
  bool json = false;
};

/** Returns true if a network's name is the path of an ONNX model, of which a library is written. */
bool is_model_file(const std::string& network);

/** Writes the library that computes a whole model, with the kernels that the database has for its layers. */
Result<int> export_model(const ModelExportOptions& options);

}  // namespace kernelscape::command_line
