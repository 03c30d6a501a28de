#include "core/task/title.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace kernelscape::task {
namespace {

using nlohmann::json;

/** Default values that tasks of one log share and that describe no shape. */
constexpr std::array usual_words{"pad=0", "dilation=1", "groups=1", "f32"};
constexpr std::array usual_arguments{"float32", "NCHW", "NHWC"};
/** Suffixes of devices that AutoTVM appends to an operator; the target contains the device. */
constexpr std::array device_endings{".cuda", ".gpu", ".x86", ".arm_cpu", ".mali"};
constexpr std::size_t longest_read_problem = 1 << 16;

/** Returns the canonical text without default values. */
std::string operator_text(const std::string& canonical) {
  std::string text;
  for (std::size_t begin = 0; begin < canonical.size();) {
    const std::size_t end = std::min(canonical.find(' ', begin), canonical.size());
    std::string word = canonical.substr(begin, end - begin);
    begin = end + 1;
    if (std::ranges::find(usual_words, word) != usual_words.end()) continue;
    std::ranges::replace(word, '=', ' ');
    text += text.empty() ? word : " " + word;
  }
  return text;
}

/** Returns "12x128x64" for a list of integers; empty for anything else. */
std::string extents_text(const json& list) {
  std::string text;
  for (const json& extent : list) {
    if (!extent.is_number_integer()) return {};
    if (!text.empty()) text += 'x';
    text += extent.dump();
  }
  return text;
}

/**
 * Returns a tensor's shape, a list of attributes, or one attribute; empty if the argument contains none of
 * them.
 */
std::string argument_text(const json& argument) {
  if (argument.is_number() || argument.is_boolean()) return argument.dump();
  if (argument.is_string()) {
    const auto text = argument.get<std::string>();
    return std::ranges::find(usual_arguments, text) == usual_arguments.end() ? text : std::string();
  }
  if (!argument.is_array() || argument.empty()) return {};
  const bool tensor = argument.size() >= 2 && argument[0].is_string() &&
                      argument[0].get_ref<const std::string&>() == "TENSOR" && argument[1].is_array();
  if (!tensor) return extents_text(argument);
  std::string text = extents_text(argument[1]);
  const bool typed = argument.size() > 2 && argument[2].is_string();
  const std::string type = typed ? argument[2].get<std::string>() : std::string();
  return type.empty() || type == "float32" ? text : text + " " + type;
}

std::string without_device(std::string_view name) {
  for (const std::string_view ending : device_endings)
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  return std::string(name);
}

/**
 * Formats "NAME [arguments] REST", the form in which an AutoTVM log's task is stored; empty if the text has
 * another form.
 */
std::string logged_text(const Task& task, const std::string& problem) {
  const std::size_t begin = problem.find(" [");
  const std::size_t end = problem.rfind(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  if (problem.size() > longest_read_problem) return {};
  if (problem.substr(0, begin) != task.name) return {};
  const json arguments = json::parse(problem.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                                     problem.begin() + static_cast<std::ptrdiff_t>(end) + 1, nullptr, false);
  if (!arguments.is_array()) return {};
  std::string text = without_device(task.name);
  for (const json& argument : arguments)
    if (const std::string words = argument_text(argument); !words.empty()) text += " " + words;
  return text + problem.substr(end + 1);
}

}  // namespace

std::string shape_text(const Task& task) {
  const auto* generic = std::get_if<GenericProblem>(&task.definition);
  if (generic == nullptr) return operator_text(task.text);
  std::string text = logged_text(task, generic->problem);
  return text.empty() ? task.name : text;
}

std::string task_title(const Task& task) {
  const bool generic = std::holds_alternative<GenericProblem>(task.definition);
  return generic || task.name == task.text ? shape_text(task) : task.name;
}

}  // namespace kernelscape::task
