#pragma once

#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

#include "core/onnx_reader/model.h"

namespace kernelscape::testing {

inline measure::ModelReply read(const measure::ModelRequest& request) {
  const Result<measure::ModelReply> reply = onnx_reader::read_onnx_model(request);
  if (!reply) qFatal("%s", describe(reply.error()).c_str());
  return *reply;
}

inline std::vector<std::string> tasks_of(const measure::ModelReply& reply) {
  std::vector<std::string> tasks;
  for (const measure::ModelLayer& layer : reply.layers) tasks.push_back(layer.task);
  return tasks;
}

inline const measure::ModelOperator* find_operator(const measure::ModelReply& reply,
                                                   const std::string& name) {
  const auto found = std::ranges::find(reply.operators, name, &measure::ModelOperator::name);
  return found == reply.operators.end() ? nullptr : &*found;
}

inline Error error_of(const measure::ModelRequest& request) {
  const Result<measure::ModelReply> reply = onnx_reader::read_onnx_model(request);
  if (reply) qFatal("it was read");
  return reply.error();
}

inline void verify_said(const std::string& text, const std::string& part) {
  QVERIFY2(text.contains(part), (text + "  lacks  " + part).c_str());
}

}  // namespace kernelscape::testing
