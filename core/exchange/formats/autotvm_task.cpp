#include "core/exchange/formats/autotvm_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/visible_text.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

enum class Operator : std::uint8_t { Convolution, Depthwise, Dense };

/** A task of AutoTVM that this program supports, and the template with its knobs. */
struct KnownTask {
  std::string_view name;
  Operator kind;
  std::string_view template_name;
  bool plain_loops;
};

// Names without the suffix of a file are those of version 0.1.
constexpr std::array known_tasks{
    KnownTask{"conv2d_nchw.cuda", Operator::Convolution, "conv2d-direct", true},
    KnownTask{"topi_nn_conv2d", Operator::Convolution, "conv2d-direct", true},
    KnownTask{"conv2d_nchw_winograd.cuda", Operator::Convolution, "conv2d-winograd", false},
    KnownTask{"conv2d_NCHWc.x86", Operator::Convolution, "conv2d-nchwc", true},
    KnownTask{"topi_x86_conv2d_NCHWc", Operator::Convolution, "conv2d-nchwc", true},
    KnownTask{"depthwise_conv2d_nchw.cuda", Operator::Depthwise, "depthwise-direct", true},
    KnownTask{"topi_nn_depthwise_conv2d_nchw", Operator::Depthwise, "depthwise-direct", true},
    KnownTask{"dense_tensorcore.cuda", Operator::Dense, "matmul-wmma", false},
    KnownTask{"dense_large_batch.gpu", Operator::Dense, "", false},
    KnownTask{"dense_small_batch.gpu", Operator::Dense, "", false},
    KnownTask{"dense_nopack.x86", Operator::Dense, "", false},
    KnownTask{"topi_nn_dense", Operator::Dense, "", false},
};

constexpr std::string_view own_prefix = "kernelscape.";

std::unexpected<Error> no_such(std::string reason) {
  return fail(ErrorCode::InvalidArgument, std::move(reason));
}

struct Tensor {
  std::vector<std::int64_t> shape;
  std::string type;
};

/** Reads ["TENSOR", [1, 64, 56, 56], "float32"]. */
Result<Tensor> tensor_of(const space::Json& json) {
  const bool formed =
      json.is_array() && json.size() == 3 && json[0] == "TENSOR" && json[1].is_array() && json[2].is_string();
  if (!formed) return no_such("an argument is not a tensor");
  Tensor tensor{.shape = {}, .type = json[2].get<std::string>()};
  for (const space::Json& item : json[1]) {
    const auto extent = space::integer_of(item);
    if (!extent || *extent < 1 || *extent >= task::count_limit)
      return no_such("a tensor has an impossible shape");
    tensor.shape.push_back(*extent);
  }
  return tensor;
}

Result<task::OperandTypes> types_of(const Tensor& data, const Tensor& weight, const std::string& output) {
  const auto is = [&](std::string_view in, std::string_view out) {
    return data.type == in && weight.type == in && output == out;
  };
  if (is("float32", "float32")) return task::parse_operand_types("f32");
  if (is("float64", "float64")) return task::parse_operand_types("f64");
  if (is("float16", "float32")) return task::parse_operand_types("f16");
  if (data.type == "uint8" && weight.type == "int8" && output == "int32")
    return task::parse_operand_types("i8");
  return no_such(fmt::format("{} by {} into {} is not a supported type", data.type, weight.type, output));
}

/** Reads one number for both dimensions, or one for each. */
Result<std::vector<std::int64_t>> pair_of(const space::Json& json) {
  std::vector<std::int64_t> numbers;
  for (const space::Json& item : json.is_array() ? json : space::Json::array({json})) {
    const auto number = space::integer_of(item);
    if (!number || *number < 0 || *number >= task::count_limit)
      return no_such("an attribute is not a whole number");
    numbers.push_back(*number);
  }
  if (numbers.size() == 1) numbers.push_back(numbers.front());
  if (numbers.size() == 2) return numbers;
  return no_such("an attribute is neither a number nor a pair of numbers");
}

/** Reads the padding: top, left, bottom, right if opposite sides differ. */
Status read_padding(const space::Json& json, task::Convolution& convolution) {
  if (!json.is_array() || json.size() != 4) {
    convolution.padding = TRY(pair_of(json));
    return {};
  }
  convolution.padding = TRY(pair_of({json[0], json[1]}));
  const auto end = TRY(pair_of({json[2], json[3]}));
  if (end != convolution.padding) convolution.padding_end = end;
  return {};
}

/** Multiplies an extent by that of its blocks; both are below count_limit. */
Status unblock(std::int64_t& extent, std::int64_t block) {
  if (extent > (task::count_limit - 1) / block) return no_such("a tensor has an impossible shape");
  extent *= block;
  return {};
}

/** Converts shapes of blocked tensors (NCHW[x]c, OIHW[x]i[y]o) to the plain shapes. */
Status unblock(Tensor& data, Tensor& weight) {
  if (data.shape.size() == 5) {
    TRY(unblock(data.shape[1], data.shape[4]));
    data.shape.pop_back();
  }
  if (weight.shape.size() == 6) {
    TRY(unblock(weight.shape[1], weight.shape[4]));
    TRY(unblock(weight.shape[0], weight.shape[5]));
    weight.shape.resize(4);
  }
  if (data.shape.size() == 4 && weight.shape.size() == 4) return {};
  return no_such("its tensors do not have the dimensions of a convolution");
}

/**
 * Reads the arguments after the padding: dilation, if the version has it, then layouts and the output's type.
 */
Status read_rest(const space::Json& args, task::Convolution& convolution, std::string& output_type) {
  for (std::size_t i = 4; i < args.size(); ++i) {
    const space::Json& argument = args[i];
    if (i == 4 && (argument.is_array() || argument.is_number())) {
      convolution.dilation = TRY(pair_of(argument));
    } else if (argument.is_string()) {
      const auto text = argument.get<std::string>();
      if (text.starts_with("NCHW")) continue;
      if (!text.starts_with("float") && !text.starts_with("int") && !text.starts_with("uint"))
        return no_such(fmt::format("its layout {} is not NCHW", base::one_line(text)));
      output_type = text;
    } else if (!argument.is_null()) {
      return no_such(fmt::format("argument {} is unknown", i));
    }
  }
  return {};
}

Result<task::Task> convolution_of(const space::Json& args, bool depthwise) {
  if (args.size() < 4) return no_such("a convolution has at least 4 arguments");
  auto data = TRY(tensor_of(args[0]));
  auto weight = TRY(tensor_of(args[1]));
  TRY(unblock(data, weight));
  const auto stride = TRY(pair_of(args[2]));
  task::Convolution convolution{.batch = data.shape[0],
                                .input_channels = data.shape[1],
                                .output_channels = weight.shape[0],
                                .input_size = {data.shape[2], data.shape[3]},
                                .kernel = {weight.shape[2], weight.shape[3]},
                                .stride = stride,
                                .padding = {},
                                .dilation = {1, 1}};
  TRY(read_padding(args[3], convolution));
  std::string output = data.type;
  TRY(read_rest(args, convolution, output));
  if (depthwise) {
    // The weight is [channels, filters of a channel, height, width].
    if (weight.shape[0] != data.shape[1]) return no_such("its weight and its data have different channels");
    convolution.groups = data.shape[1];
    if (weight.shape[1] > task::count_limit / data.shape[1]) return no_such("it has too many filters");
    convolution.output_channels = data.shape[1] * weight.shape[1];
  } else if (weight.shape[1] != data.shape[1]) {
    return no_such("its weight and its data have different channels");
  }
  const auto types = TRY(types_of(data, weight, output));
  return task::make_convolution_task(convolution, types);
}

/** Reads data [M, K], weight [N, K], a bias, and the output's type. */
Result<task::Task> dense_of(const space::Json& args) {
  if (args.size() < 2) return no_such("dense has at least 2 arguments");
  const auto data = TRY(tensor_of(args[0]));
  const auto weight = TRY(tensor_of(args[1]));
  if (data.shape.size() != 2 || weight.shape.size() != 2 || data.shape[1] != weight.shape[1])
    return no_such("its tensors are not [M, K] and [N, K]");
  std::string output = data.type;
  for (const space::Json& argument : args)
    if (argument.is_string()) output = argument.get<std::string>();
  const auto types = TRY(types_of(data, weight, output));
  return task::make_matmul_task(
      {.m = data.shape[0], .n = weight.shape[0], .k = data.shape[1], .transpose_b = true}, types);
}

/** Reads a task that this program exported: [task, target]. */
Result<AutotvmTask> own_task(std::string_view name, const space::Json& args) {
  if (args.size() != 2) return no_such("it does not have the arguments [task, target]");
  auto task = TRY(task::task_from_json(space::to_text(args[0])));
  auto target = TRY(schedule::target_from_json(space::to_text(args[1])));
  return AutotvmTask{.task = std::move(task),
                     .target = std::move(target),
                     .template_name = std::string(name.substr(own_prefix.size()))};
}

Result<AutotvmTask> known_task(const AutotvmRecord& record, const space::Json& args) {
  if (record.task.starts_with(own_prefix)) return own_task(record.task, args);
  const auto known = std::ranges::find(known_tasks, record.task, &KnownTask::name);
  if (known == known_tasks.end()) return no_such("this program has no such operator");
  task::Task task =
      TRY(known->kind == Operator::Dense ? dense_of(args)
                                         : convolution_of(args, known->kind == Operator::Depthwise));
  AutotvmTask mapped{.task = std::move(task), .target = autotvm_target(record.target, record.tvm_version)};
  // Version 0.1 has one name for several templates and a separate key for the template.
  const bool direct = record.template_key.empty() || record.template_key == "direct";
  mapped.plain_loops = known->plain_loops && direct;
  if (direct) mapped.template_name = known->template_name;
  return mapped;
}

}  // namespace

Result<AutotvmTask> autotvm_task(const AutotvmRecord& record) {
  const space::Json args = space::parse_json(record.args_json);
  Result<AutotvmTask> known = known_task(record, args);
  if (known) return known;
  std::string problem = record.task + " " + record.args_json;
  if (!record.template_key.empty()) problem += " " + record.template_key;
  task::Task task = TRY(task::make_generic_task({std::move(problem), "time", "s"}, record.task));
  return AutotvmTask{.task = std::move(task),
                     .target = autotvm_target(record.target, record.tvm_version),
                     .not_mapped = known.error().message};
}

std::optional<std::int64_t> split_extent(const task::Task& task, std::string_view knob) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (!convolution || convolution->output_size().size() != 2) return std::nullopt;
  const auto output = convolution->output_size();
  if (knob == "tile_f" || knob == "tile_oc") return convolution->output_channels;
  if (knob == "tile_rc" || knob == "tile_ic") return convolution->input_channels;
  if (knob == "tile_y" || knob == "tile_oh") return output[0];
  if (knob == "tile_x" || knob == "tile_ow") return output[1];
  if (knob == "tile_ry") return convolution->kernel[0];
  if (knob == "tile_rx") return convolution->kernel[1];
  return std::nullopt;
}

AutotvmName autotvm_name(const task::Task& task, const schedule::TargetDescription& target,
                         std::string_view template_name, bool same_template) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  const bool direct = template_name == "conv2d-direct";
  // AutoTVM's tasks are the sums alone.
  const bool theirs = convolution && same_template && task.unroll_steps.empty() && task.op &&
                      task.op->epilogue.empty() && (direct || template_name == "conv2d-nchwc");
  if (!theirs) {
    const std::string_view kind = template_name.empty() ? "generic" : template_name;
    const space::Json args{space::parse_json(task::task_to_json(task)),
                           space::parse_json(schedule::target_to_json(target))};
    return {fmt::format("{}{}", own_prefix, kind), space::to_text(args)};
  }
  const auto tensor = [](const task::TensorAccess& access) {
    return space::Json{"TENSOR", access.shape, "float32"};
  };
  const std::vector<std::int64_t>& pad = convolution->padding;
  const std::vector<std::int64_t>& end = convolution->end_padding();
  space::Json args{tensor(task.op->inputs[0]), tensor(task.op->inputs[1]), convolution->stride,
                   space::Json{pad[0], pad[1], end[0], end[1]}, convolution->dilation};
  if (!direct) args.insert(args.end(), {"NCHW", "NCHW"});
  args.push_back("float32");
  return {direct ? "conv2d_nchw.cuda" : "conv2d_NCHWc.x86", space::to_text(args)};
}

}  // namespace kernelscape::exchange
