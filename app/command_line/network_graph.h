#pragma once

#include "app/command_line/network_options.h"
#include "core/base/result.h"

namespace kernelscape::command_line {

/** What `network graph` is asked for. */
struct GraphArguments {
  bool external_data_anywhere = false;  ///< weights may lie outside of the model's folder
  bool json = false;
};

/** Prints the operators of an ONNX model with their shapes. @return the exit code */
Result<int> print_graph(const NetworkChoice& choice, const GraphArguments& arguments);

}  // namespace kernelscape::command_line
