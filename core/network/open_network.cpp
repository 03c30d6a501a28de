#include "core/network/open_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/file.h"
#include "core/base/visible_text.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/network/model_without_weights.h"
#include "core/network/model_worker.h"
#include "core/schedule/template.h"

namespace kernelscape::network {
namespace {

constexpr std::int64_t largest_dimension = std::int64_t{1} << 40;

/**
 * Returns the operand of the call with this number. The worker's report is untrusted and may contain
 * anything.
 */
task::CallOperand operand_of(const measure::ModelOperand& operand, std::size_t call) {
  task::CallOperand found{operand.constant};
  for (const std::int64_t node : operand.nodes)
    if (node >= 0 && static_cast<std::size_t>(node) < call)
      found.calls.push_back(static_cast<std::size_t>(node));
  return found;
}

/** Adds a node; nodes of the same task become one layer. */
Status add_node(task::WholeNetwork& network, const measure::ModelLayer& node, bool order_known) {
  auto layer = std::ranges::find_if(
      network.layers, [&](const task::WholeLayer& known) { return known.task.text == node.task; });
  if (layer == network.layers.end()) {
    task::Task task = TRY(task::parse_task(node.task));
    layer = network.layers.insert(layer, {std::move(task), 0, {}});
  }
  // Limits what an untrusted worker can report.
  constexpr std::int64_t max_multiplicity = 1'000'000;
  layer->multiplicity = std::min(
      layer->multiplicity + std::clamp<std::int64_t>(node.times, 1, max_multiplicity), max_multiplicity);
  layer->nodes.push_back(node.node);
  if (!order_known) return {};
  const std::size_t call = network.calls.size();
  network.calls.push_back({static_cast<std::size_t>(layer - network.layers.begin()),
                           {operand_of(node.first, call), operand_of(node.second, call)}});
  return {};
}

/** Returns the notices of a reader as sentences that precede a hint. */
std::string join_notices(const std::vector<std::string>& notices) {
  std::string text;
  for (const std::string& notice : notices) text += notice + ". ";
  return text;
}

Result<task::WholeNetwork> network_of(measure::ModelReply reply, const std::filesystem::path& path) {
  task::WholeNetwork network;
  network.name = path.stem().string();
  network.description = fmt::format("{}, an ONNX model", path.filename().string());
  if (!reply.name.empty() && reply.name != network.name) network.description += ": " + reply.name;
  for (const measure::ModelLayer& layer : reply.layers) TRY(add_node(network, layer, reply.order_known));
  for (measure::ModelOperator& other : reply.operators) {
    network.others.push_back({std::move(other.name), other.count, static_cast<double>(other.bytes),
                              other.unknown, other.once, std::move(other.reason),
                              std::isfinite(other.flops) && other.flops > 0 ? other.flops : 0});
  }
  network.notices = std::move(reply.notices);
  if (!network.layers.empty()) return network;
  const auto reason = std::ranges::find_if(
      network.others, [](const task::OtherOperators& other) { return !other.reason.empty(); });
  return fail(
      ErrorCode::InvalidArgument,
      reason == network.others.end()
          ? "it has no layer that can be tuned: it contains no supported convolution or matrix multiplication"
          : fmt::format("none of its layers can be tuned: {}: {}", reason->name, reason->reason),
      join_notices(network.notices) +
          "Supported operators are Conv, ConvTranspose, Gemm, MatMul, Einsum and their int8 and fused "
          "variants, "
          "with known shapes.");
}

/** Returns true if a file starts like JSON; an ONNX model starts with a control character. */
bool begins_as_json(const std::filesystem::path& path) {
  const Result<base::OpenFolder> folder = base::OpenFolder::open(path.parent_path());
  if (!folder) return false;
  constexpr std::size_t max_bytes = 64;
  const auto head = base::read_beginning_in(*folder, path.filename().string(), max_bytes);
  if (!head || !*head) return path.extension() == ".json";
  const std::size_t first = (*head)->find_first_not_of(" \t\r\n");
  return first != std::string::npos && (**head)[first] == '{';
}

Result<task::WholeNetwork> open_saved(const std::filesystem::path& path) {
  const task::Catalogue catalogue = TRY(task::Catalogue::load_file(path));
  Result<task::WholeNetwork> network = task::only_network(catalogue);
  if (!network) return of_file(path, network.error());
  return network;
}

}  // namespace

Result<measure::ModelDimension> parse_dimension(std::string_view text) {
  // A name may contain "=".
  const std::size_t equals = text.rfind('=');
  measure::ModelDimension dimension;
  if (equals != std::string_view::npos && equals > 0) {
    dimension.name = text.substr(0, equals);
    const std::string_view number = text.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), dimension.value);
    const bool read = error == std::errc() && end == number.data() + number.size();
    if (read && dimension.value >= 1 && dimension.value <= largest_dimension) return dimension;
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("--dim {} does not set the length of a dimension", base::one_line(text)),
              "write --dim batch=1, or --dim \"data[0]=1\" for the first dimension of the input data");
}

Result<task::WholeNetwork> open_model(const std::filesystem::path& path,
                                      const std::vector<measure::ModelDimension>& dimensions,
                                      const measure::Interruption& interruption) {
  CutModel model = TRY(read_model_without_weights(path));
  const measure::ModelRequest request{std::move(model.bytes), dimensions};
  Result<measure::ModelReply> reply = read_in_worker(request, interruption);
  if (!reply) return of_file(path, reply.error());
  Result<task::WholeNetwork> network = network_of(std::move(*reply), path);
  if (!network) return of_file(path, network.error());
  return network;
}

Result<task::WholeNetwork> open_network(const std::string& name_or_file,
                                        const std::vector<measure::ModelDimension>& dimensions,
                                        const task::Catalogue& catalogue,
                                        const measure::Interruption& interruption) {
  std::error_code error;
  const std::filesystem::path path(name_or_file);
  Result<task::WholeNetwork> known = task::find_whole_network(catalogue, name_or_file);
  const bool file =
      std::filesystem::exists(path, error) || path.extension() == ".onnx" || path.extension() == ".json";
  if (!known && file && !begins_as_json(path)) return open_model(path, dimensions, interruption);
  if (!dimensions.empty() && (known || file)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not an ONNX model, so it has no dimensions to set", name_or_file),
                "remove --dim");
  }
  if (!known && file) return open_saved(path);
  if (!known) known.error().hint += "; or name an .onnx file, or a file written by `kernelscape network save";
  return known;
}

std::vector<LayerShare> layer_shares(const task::WholeNetwork& network,
                                     const schedule::TargetDescription& target) {
  const double all = network.flops() + network.hidden_flops();
  std::vector<LayerShare> shares;
  for (const task::WholeLayer& layer : network.layers) {
    LayerShare& share = shares.emplace_back();
    const auto times = static_cast<double>(layer.multiplicity);
    share.layer = &layer;
    share.flops = times * layer.task.flops();
    share.bytes = times * task::task_bytes(layer.task);
    share.share = all > 0 ? share.flops / all : 0;
    const Result<schedule::ScheduledKernel> kernel = schedule::apply_template(layer.task, target);
    if (kernel)
      share.template_name = kernel->template_name();
    else
      share.reason = kernel.error().message;
  }
  return shares;
}

}  // namespace kernelscape::network
