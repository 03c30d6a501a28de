#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/family.h"
#include "core/loop_nest/layout.h"
#include "core/measure/measurer.h"
#include "core/task/task.h"

namespace kernelscape {

/** A kernel by hand: its C text and what it is called. */
struct NamedSource {
  std::string name;
  std::string text;
};

/** Kernels of a task written by hand, chosen by the single knob "kernel". Layouts are plain. */
class SourceFamily final : public kernel::Family {
 public:
  SourceFamily(const std::string& task, std::vector<NamedSource> sources)
      : task_(task::parse_task(task).value()), sources_(std::move(sources)), space_(make_space(sources_)) {}

  const task::Task& task() const override { return task_; }
  const space::SearchSpace& space() const override { return space_; }

  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    const NamedSource& chosen = sources_.at(configuration.indices.at(0));
    if (chosen.text.empty()) return fail(ErrorCode::InvalidArgument, "the tile does not fit");
    codegen::KernelSource source;
    source.text = chosen.text;
    source.entry = "kernel";
    const task::TensorOperator& op = *task_.op;
    for (const task::TensorAccess& input : op.inputs) source.arguments.push_back(argument(input, false));
    source.arguments.push_back(argument(op.output, true));
    return source;
  }

  space::Configuration named(const std::string& name) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i].name == name) return {{static_cast<std::uint32_t>(i)}};
    }
    throw std::logic_error("no kernel is called " + name);
  }

 private:
  static codegen::KernelArgument argument(const task::TensorAccess& tensor, bool output) {
    return {.name = tensor.tensor,
            .element_type = task::to_string(tensor.type),
            .output = output,
            .layout = loop_nest::row_major(tensor.tensor, tensor.shape)};
  }

  static space::SearchSpace make_space(const std::vector<NamedSource>& sources) {
    std::vector<space::KnobValue> names;
    for (const NamedSource& source : sources) names.emplace_back(source.name);
    return space::SearchSpace::make({space::Knob::categorical("kernel", names).value()}).value();
  }

  task::Task task_;
  std::vector<NamedSource> sources_;
  space::SearchSpace space_;
};

constexpr const char* small_matmul = "matmul 24x16 16x40 f32";

/** A kernel of `small_matmul`: `before` stands outside the function, `inside` at its start. */
inline std::string matmul_text(const std::string& before = "", const std::string& inside = "") {
  return before + "\nvoid kernel(int part, int parts, const float* a, const float* b, float* c) {\n" +
         inside +
         "\n  for (int y = 24 * part / parts; y < 24 * (part + 1) / parts; ++y)\n"
         "    for (int x = 0; x < 40; ++x) {\n"
         "      float sum = 0;\n"
         "      for (int k = 0; k < 16; ++k) sum += a[y * 16 + k] * b[k * 40 + x];\n"
         "      c[y * 40 + x] = sum;\n"
         "    }\n"
         "}\n";
}

/** Options for tests: quick, and without claims about time. */
inline trial::MeasureOptions quick_options() {
  trial::MeasureOptions options;
  options.threads = 2;
  options.repeats = 3;
  options.min_repeat_seconds = 0.0005;
  options.build_timeout_seconds = 10;
  options.run_timeout_seconds = 10;
  options.give_up_factor = 0;
  return options;
}

/** Everything that a batch gives, by position. */
inline Result<std::vector<trial::Measurement>> measure_all(measure::Measurer& measurer,
                                                           const std::vector<space::Configuration>& batch) {
  if (auto submitted = measurer.submit(batch); !submitted) return std::unexpected(submitted.error());
  std::vector<trial::Measurement> measurements(batch.size());
  std::size_t finished = 0;
  while (finished < batch.size()) {
    auto completed = measurer.collect(std::chrono::milliseconds(60'000));
    if (!completed) return std::unexpected(completed.error());
    if (completed->empty()) return fail(ErrorCode::Internal, "candidates were lost");
    for (measure::Completed& one : *completed) measurements[one.position] = std::move(one.measurement);
    finished += completed->size();
  }
  return measurements;
}

}  // namespace kernelscape
