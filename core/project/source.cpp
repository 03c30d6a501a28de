#include "core/project/source.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/project/cpp_call.h"
#include "core/project/host_language.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

constexpr std::array<std::string_view, 3> launch_axes{"X", "Y", "Z"};

/** Returns a value as the text of a macro. */
std::string macro_text(const PythonValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return space::to_string(value);
}

const PythonValue& value_of(const space::SearchSpace& space, const space::Configuration& configuration,
                            std::size_t knob) {
  return space.knobs()[knob].value(configuration.indices[knob]);
}

Result<std::int64_t> value_of_size(std::string_view what, const PythonExpression& expression,
                                   const PythonNames& names) {
  auto size = expression.evaluate_integer(names);
  if (!size) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {}", what, size.error().message),
                std::move(size.error().hint));
  }
  if (*size < 1)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is {} = {}: nothing is launched", what, expression.text(), *size));
  return *size;
}

/** Returns the product of an axis' divisors. */
Result<std::int64_t> divisor_of(std::string_view axis, const std::vector<PythonExpression>& divisors,
                                const PythonNames& names) {
  std::int64_t product = 1;
  for (const PythonExpression& divisor : divisors) {
    const std::int64_t factor = TRY(value_of_size(fmt::format("GridDiv{}", axis), divisor, names));
    if (product > std::numeric_limits<std::int64_t>::max() / factor)
      return fail(ErrorCode::InvalidArgument, fmt::format("the product of GridDiv{} is beyond 2^63", axis));
    product *= factor;
  }
  return product;
}

Result<std::int64_t> blocks_of(const Launch& launch, std::size_t axis, std::int64_t block,
                               const PythonNames& names) {
  const std::string what = fmt::format("GlobalSize.{}", launch_axes[axis]);
  const std::int64_t global = TRY(value_of_size(what, launch.global[axis], names));
  if (!launch.grid_divisors[axis].empty()) {
    const std::int64_t divisor = TRY(divisor_of(launch_axes[axis], launch.grid_divisors[axis], names));
    return global / divisor + (global % divisor == 0 ? 0 : 1);
  }
  if (launch.meaning == GlobalSizeMeaning::Blocks) return global;
  if (global % block != 0)
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is {} threads, no multiple of LocalSize.{} = {}",
                                                        what, global, launch_axes[axis], block));
  return global / block;
}

std::unexpected<Error> over_limit(std::string_view what, std::int64_t value, std::int64_t limit) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} is {}, over the device's {}", what, value, limit));
}

Status check_limits(const codegen::Launch& launch, const LaunchLimits& limits) {
  const auto over = [](std::int64_t value, std::int64_t limit) { return limit > 0 && value > limit; };
  std::int64_t threads = 1;
  for (std::size_t axis = 0; axis < launch_axes.size(); ++axis) {
    if (over(launch.block[axis], limits.block[axis]))
      return over_limit(fmt::format("LocalSize.{}", launch_axes[axis]), launch.block[axis],
                        limits.block[axis]);
    if (over(launch.grid[axis], limits.grid[axis]))
      return over_limit(fmt::format("the number of blocks along {}", launch_axes[axis]), launch.grid[axis],
                        limits.grid[axis]);
    // Each extent is within a device's limit, or there is no limit to check the product against.
    if (launch.block[axis] > std::numeric_limits<std::int64_t>::max() / threads)
      return fail(ErrorCode::InvalidArgument, "a block of over 2^63 threads");
    threads *= launch.block[axis];
  }
  if (over(threads, limits.threads))
    return over_limit("the number of threads of a block", threads, limits.threads);
  std::int64_t shared = launch.dynamic_shared_bytes;
  for (const std::int64_t bytes : launch.local_bytes) shared += bytes;
  if (over(shared, limits.shared_bytes))
    return over_limit("shared memory in bytes", shared, limits.shared_bytes);
  return {};
}

Result<std::vector<std::int64_t>> local_bytes_of(const KernelProject& project, const PythonNames& names) {
  constexpr std::int64_t max_local_bytes = 1LL << 40;
  std::vector<std::int64_t> bytes;
  for (const ProgramArgument& argument : project.data.arguments) {
    if (argument.memory != ArgumentMemory::Local) continue;
    const std::int64_t count = TRY(value_of_size(fmt::format("the size of {}", argument.name),
                                                 project.local_counts[bytes.size()], names));
    const auto element = static_cast<std::int64_t>(element_bytes(argument.type)) * argument.lanes;
    if (count > max_local_bytes / element)
      return fail(ErrorCode::InvalidArgument, fmt::format("{} takes {} elements", argument.name, count));
    bytes.push_back(count * element);
  }
  return bytes;
}

/** Returns the C type of a scalar that is passed by value. */
std::string c_type_of(const ProgramArgument& argument) {
  static constexpr std::array<std::string_view, element_type_count> names{
      "_Bool",        "signed char", "unsigned char",      "short",    "unsigned short", "int",
      "unsigned int", "long long",   "unsigned long long", "_Float16", "float",          "double"};
  std::string type(names[static_cast<std::size_t>(argument.type)]);
  if (argument.lanes > 1) type += fmt::format(" __attribute__((vector_size({})))", argument.bytes());
  return type;
}

/** Returns the identifiers of a text in C or C++. */
std::set<std::string_view> identifiers_of(std::string_view text) {
  constexpr std::string_view letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::set<std::string_view> names;
  for (std::size_t at = text.find_first_of(letters); at != std::string_view::npos;
       at = text.find_first_of(letters)) {
    text.remove_prefix(at);
    const std::string_view word = text.substr(0, text.find_first_not_of(letters));
    if (is_identifier(word)) names.insert(word);
    text.remove_prefix(word.size());
  }
  return names;
}

}  // namespace

PythonNames names_of_configuration(const KernelProject& project, const space::SearchSpace& space,
                                   const space::Configuration& configuration) {
  return [&project, &space, &configuration](std::string_view name) -> std::optional<PythonBinding> {
    if (name == "ProblemSize") {
      PythonBinding binding{.values = {}, .list = true};
      binding.values.assign(project.problem_size.begin(), project.problem_size.end());
      return binding;
    }
    for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
      if (space.knobs()[knob].name() == name)
        return PythonBinding{.values = {value_of(space, configuration, knob)}};
    }
    return std::nullopt;
  };
}

std::string name_in_line_directive(std::string_view file) {
  std::string name(file);
  // Characters that would end the name or the line.
  std::erase_if(name, [](char letter) { return letter == '"' || letter == '\\' || letter == '\n'; });
  return name;
}

std::string expanded_source(const KernelProject& project, const space::SearchSpace& space,
                            const space::Configuration& configuration) {
  std::string text;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
    text += fmt::format("#define {} {}\n", space.knobs()[knob].name(),
                        macro_text(value_of(space, configuration, knob)));
  return text + fmt::format("#line 1 \"{}\"\n", name_in_line_directive(project.source_name)) + project.source;
}

Result<codegen::Launch> launch_of(const KernelProject& project, const PythonNames& names,
                                  const LaunchLimits& limits) {
  codegen::Launch launch;
  if (project.dialect == codegen::Dialect::C) return launch;
  for (std::size_t axis = 0; axis < launch_axes.size(); ++axis) {
    const std::string what = fmt::format("LocalSize.{}", launch_axes[axis]);
    launch.block[axis] = TRY(value_of_size(what, project.launch.local[axis], names));
    launch.grid[axis] = TRY(blocks_of(project.launch, axis, launch.block[axis], names));
  }
  launch.dynamic_shared_bytes = TRY(project.launch.shared_bytes.evaluate_integer(names));
  if (launch.dynamic_shared_bytes < 0)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("SharedMemory is {} bytes", launch.dynamic_shared_bytes));
  launch.local_bytes = TRY(local_bytes_of(project, names));
  TRY(check_limits(launch, limits));
  return launch;
}

std::string without_macros(std::string_view text, std::string_view entry) {
  const std::set<std::string_view> kept = identifiers_of(entry);
  std::string lines;
  for (const std::string_view name : identifiers_of(text))
    if (!kept.contains(name)) lines += fmt::format("#undef {}\n", name);
  return lines;
}

codegen::KernelSource callable_source(codegen::KernelSource source,
                                      const std::vector<ProgramArgument>& arguments) {
  if (is_cpp(source.user_flags)) {
    source.text += cpp_call(source, arguments);
    source.entry = program_entry;
    return source;
  }
  std::vector<std::string> values;
  if (source.parts) values = {"kernelscape_part", "kernelscape_parts"};
  std::size_t index = 0;
  for (const ProgramArgument& argument : arguments) {
    if (argument.memory == ArgumentMemory::Scalar)
      values.push_back(fmt::format("*(const {}*)kernelscape_arguments[{}]", c_type_of(argument), index));
    else
      values.push_back(fmt::format("kernelscape_arguments[{}]", index));
    ++index;
  }
  const std::string head =
      fmt::format("void {}(int kernelscape_part, int kernelscape_parts, void* const* kernelscape_arguments)",
                  program_entry);
  const std::string call = base::join(values, ", ");
  source.text += fmt::format(
      "\n{1}#line 1 \"the call of {0}\"\n{2} {{ (void)kernelscape_part, (void)kernelscape_parts;\n"
      "  {0}({3});\n}}\n",
      source.entry, without_macros(head + call, source.entry), head, call);
  source.entry = program_entry;
  return source;
}

}  // namespace kernelscape::project
