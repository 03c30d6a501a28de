// The arguments of a project's kernel: T1's Arguments, and the additions of the key "kernelscape".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/data_file.h"
#include "core/project/in_list.h"
#include "core/project/numpy_file.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

constexpr std::size_t max_kernel_arguments = 128;
constexpr std::array<std::string_view, 15> argument_members{
    "Name",       "Type",   "Size",       "TypeSize", "FillType",  "FillValue", "DataSource", "RandomSeed",
    "AccessType", "Output", "MemoryType", "MemType",  "Alignment", "SizeUnit",  "Id"};

/** Parses a type and its number of lanes, such as "float4". */
Status set_type(const Reading& reading, const JsonPlace& place, ProgramArgument& argument) {
  const std::string written = TRY(reading.text_of(place));
  if (written == "custom")
    return reading.fail_at(place, "is \"custom\", whose contents are unknown",
                           "name uint8 and the Size in bytes");
  for (std::uint64_t index = 0; index < element_type_count; ++index) {
    const auto type = static_cast<ElementType>(index);
    const std::string name = to_string(type);
    if (!written.starts_with(name)) continue;
    const std::string_view lanes = std::string_view(written).substr(name.size());
    const bool real = type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
    static constexpr std::array<std::string_view, 4> lane_counts{"2", "4", "8", "16"};
    if (!lanes.empty() && (!real || !in_list(lane_counts, lanes))) continue;
    argument.type = type;
    argument.lanes = 1;
    if (!lanes.empty()) std::from_chars(lanes.data(), lanes.data() + lanes.size(), argument.lanes);
    return {};
  }
  return reading.fail_at(place, fmt::format("is {}, which is not a type", base::quoted_line(written)),
                         "bool, int8 to uint64, half, float, double, or float4 and the like");
}

Status set_memory(const Reading& reading, const JsonPlace& place, ProgramArgument& argument) {
  const std::string written = TRY(reading.text_of(place["MemoryType"]));
  const codegen::Dialect dialect = reading.project.dialect;
  const std::string kind = TRY(reading.text_of(place["MemType"], ""));
  if (written == "Scalar") {
    argument.memory = ArgumentMemory::Scalar;
  } else if (written == "Vector") {
    // A constant array of OpenCL is an ordinary parameter; CUDA's is found by its name.
    const bool constant = kind == "Constant" && dialect == codegen::Dialect::Cuda;
    argument.memory = constant ? ArgumentMemory::Constant : ArgumentMemory::Vector;
  } else if (written == "Local") {
    if (dialect != codegen::Dialect::OpenCl)
      return reading.fail_at(place["MemoryType"], "is \"Local\", which only OpenCL kernels support",
                             "declare the array in the kernel, or name its bytes in SharedMemory");
    argument.memory = ArgumentMemory::Local;
  } else if (written == "Symbol") {
    if (dialect != codegen::Dialect::Cuda)
      return reading.fail_at(place["MemoryType"], "is \"Symbol\", which only CUDA supports",
                             "name it Vector");
    argument.memory = ArgumentMemory::Constant;
  } else {
    return reading.fail_at(place["MemoryType"], fmt::format("is {}", base::quoted_line(written)),
                           "Scalar, Vector, Local or Symbol");
  }
  return {};
}

Status set_access(Reading& reading, const JsonPlace& place, ProgramArgument& argument) {
  const std::string written = TRY(reading.text_of(place["AccessType"], "ReadOnly"));
  if (written == "ReadWrite")
    argument.access = ArgumentAccess::ReadWrite;
  else if (written == "WriteOnly")
    argument.access = ArgumentAccess::WriteOnly;
  else if (written != "ReadOnly")
    return reading.fail_at(place["AccessType"], fmt::format("is {}", base::quoted_line(written)),
                           "ReadOnly, WriteOnly or ReadWrite");
  const bool written_to = argument.access != ArgumentAccess::ReadOnly;
  const JsonPlace output = place["Output"];
  const bool asked = output.exists() && output.value->is_boolean() ? output.value->get<bool>()
                                                                   : TRY(reading.integer_at(output, 0)) != 0;
  if (argument.memory != ArgumentMemory::Vector) {
    if (written_to || asked)
      reading.notice(place, "is not a Vector: values that the kernel writes to it are lost");
    argument.access = ArgumentAccess::ReadOnly;
    return {};
  }
  if (asked && !written_to)
    reading.notice(output, "declares a ReadOnly argument as output; it is not compared");
  argument.checked = written_to && (asked || !output.exists());
  return {};
}

Status set_count(Reading& reading, const JsonPlace& place, ProgramArgument& argument) {
  const JsonPlace size = place["Size"];
  if (argument.memory == ArgumentMemory::Scalar) {
    if (size.exists() && size.value->is_number() && *size.value != 1)
      reading.notice(size, "is not 1, the size of a Scalar");
    return {};
  }
  const PythonExpression expression = TRY(reading.expression_of(size));
  if (argument.memory == ArgumentMemory::Local) {
    TRY(reading.check_names(size, expression, true));
    auto count = expression.evaluate_integer(reading.first_names());
    if (!count) return reading.placed(size, std::move(count).error());
    argument.count = *count;
    reading.project.local_counts.push_back(expression);
  } else {
    argument.count = TRY(reading.constant_integer(size, expression));
  }
  if (argument.count < 1)
    return reading.fail_at(size, fmt::format("is {} elements", argument.count), "it takes at least one");
  const auto element = static_cast<std::uint64_t>(argument.lanes) * element_bytes(argument.type);
  std::uint64_t taken = 0;
  for (const ProgramArgument& other : reading.project.data.arguments) taken += other.bytes();
  // The sum may exceed the limit: it includes scalars, which may follow vectors that reach the limit.
  const std::uint64_t left = max_argument_bytes - std::min(taken, max_argument_bytes);
  if (static_cast<std::uint64_t>(argument.count) > left / element)
    return reading.fail_at(
        size,
        fmt::format("is {} elements, and all arguments together may take {}", argument.count,
                    base::bytes_text(static_cast<double>(max_argument_bytes))),
        "choose a smaller problem");
  return {};
}

/** Reads a value of an argument: a number, or an expression in a text. */
Result<PythonValue> value_at(const Reading& reading, const JsonPlace& place) {
  if (!place.value->is_string()) {
    if (const auto value = space::value_from_json(*place.value)) return *value;
    return reading.fail_at(place, "is not a number");
  }
  return reading.constant_value(place, TRY(reading.expression_of(place)));
}

std::unexpected<Error> no_element(const Reading& reading, const JsonPlace& place, const PythonValue& value,
                                  ElementType type) {
  return reading.fail_at(
      place, fmt::format("is {}, no {}", base::one_line(space::to_string(value)), to_string(type)),
      "choose a value that fits, or another type");
}

/** Returns the bytes of a scalar: one value for all of its lanes, or a list with one value per lane. */
Result<ArgumentFill> scalar_fill(const Reading& reading, const JsonPlace& value,
                                 const ProgramArgument& argument) {
  const auto lanes = static_cast<std::size_t>(argument.lanes);
  if (!value.exists()) return reading.fail_at(value, "is missing", "a Scalar has a value");
  const bool listed = value.value->is_array();
  if (listed && value.size() != lanes)
    return reading.fail_at(value, fmt::format("has {} values for {} lanes", value.size(), lanes));
  ArgumentFill fill{.kind = FillKind::Bytes};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const JsonPlace one = listed ? value[lane] : value;
    if (!one.exists()) return reading.fail_at(one, "is not a number");
    const PythonValue number = TRY(value_at(reading, one));
    const auto bytes = element_of(argument.type, number);
    if (!bytes) return no_element(reading, one, number, argument.type);
    fill.bytes += *bytes;
    // The value is shown and stored as the real holds it exactly.
    const auto* whole = std::get_if<std::int64_t>(&number);
    constexpr std::int64_t max_exact = 1LL << 53;
    if (lanes > 1 || (whole != nullptr && std::abs(*whole) > max_exact)) continue;
    const auto* real = std::get_if<double>(&number);
    const auto* truth = std::get_if<bool>(&number);
    fill.value = whole != nullptr  ? static_cast<double>(*whole)
                 : real != nullptr ? *real
                                   : truth != nullptr && *truth;
    fill.kind = FillKind::Constant;
  }
  if (fill.kind == FillKind::Constant) fill.bytes.clear();
  return fill;
}

/** Returns true if the project's data files are left where they are, and not stored with a session. */
Result<bool> refers_to_data_files(const Reading& reading) {
  const JsonPlace place = reading.ours()["DataFiles"];
  const std::string written = TRY(reading.text_of(place, "Stored"));
  if (written == "Stored" || written == "Referenced") return written == "Referenced";
  return reading.fail_at(place, fmt::format("is {}", base::quoted_line(written)), "Stored or Referenced");
}

Result<ArgumentFill> file_fill(Reading& reading, const JsonPlace& source, const ProgramArgument& argument) {
  const bool refers = TRY(refers_to_data_files(reading));
  const std::string written = TRY(reading.text_of(source));
  auto file = refers ? reading.files.read_unstored(written, reading.files.folder(), max_argument_bytes)
                     : reading.files.read(written, reading.files.folder(), max_project_bytes);
  if (!file) return reading.placed(source, std::move(file).error());
  if (refers && is_numpy_file(file->text))
    return reading.fail_at(
        source,
        fmt::format("is {}, a .npy file, which can't be left where it is", base::quoted_line(written)),
        "write it with tofile(), or set kernelscape.DataFiles to \"Stored\"");
  if (is_numpy_file(file->text)) {
    auto elements =
        numpy_elements(file->text, argument.type, argument.bytes() / element_bytes(argument.type));
    if (!elements) return reading.placed(source, std::move(elements).error());
    file->text = *std::move(elements);
  }
  if (file->text.size() != argument.bytes())
    return reading.fail_at(
        source,
        fmt::format("is {}, a file of {} bytes, but {} takes {}", base::quoted_line(written),
                    file->text.size(), base::quoted_line(argument.name), argument.bytes()),
        "change the argument's Size or Type, or the file");
  ArgumentFill fill{.kind = FillKind::Bytes};
  if (refers)
    fill.file = refer_to_file(file->path, file->text);
  else
    fill.bytes = std::move(file->text);
  return fill;
}

std::unexpected<Error> refused_fill(const Reading& reading, const JsonPlace& place,
                                    const std::string& written) {
  if (written == "Generator" || written == "Script")
    return fail(ErrorCode::Refused,
                fmt::format("{} is {}: the data would be generated by running a program of the project",
                            reading.text.name_of(place.path), base::quoted_line(written)),
                "save its output with numpy.save, and name BinaryRaw with this file");
  if (written == "BinaryHDF")
    return fail(ErrorCode::Refused,
                fmt::format("{} is \"BinaryHDF\", which is not supported", reading.text.name_of(place.path)),
                "save the data set with numpy.save, and name BinaryRaw with this file");
  return reading.fail_at(place, fmt::format("is {}", base::quoted_line(written)),
                         "Constant, Random or BinaryRaw; Ramp in kernelscape.Arguments");
}

/** Returns a member of an argument under the key "kernelscape", else that of T1. */
JsonPlace member_or(const JsonPlace& first, const JsonPlace& second, std::string_view name) {
  return first[name].exists() ? first[name] : second[name];
}

Status add_argument(Reading& reading, const JsonPlace& place) {
  if (!place.exists() || !place.value->is_object()) return reading.fail_at(place, "is not an argument");
  reading.notice_unknown(place, argument_members);
  ProgramArgument argument;
  argument.name =
      TRY(reading.text_of(place["Name"], fmt::format("argument_{}", reading.project.data.arguments.size())));
  if (!is_identifier(argument.name))
    return reading.fail_at(place["Name"],
                           fmt::format("is {}, which is not a name", base::quoted_line(argument.name)),
                           "use letters, digits and _, not a digit first");
  if (in_list(reading.project.data.arguments, argument.name, &ProgramArgument::name))
    return reading.fail_at(place["Name"],
                           fmt::format("is {}, which occurs twice", base::quoted_line(argument.name)),
                           "give each argument a different name");
  TRY(set_type(reading, place["Type"], argument));
  TRY(set_memory(reading, place, argument));
  TRY(set_access(reading, place, argument));
  TRY(set_count(reading, place, argument));
  if (argument.checked) argument.tolerance = default_tolerance(argument.type);
  argument.fill = TRY(read_fill(reading, place, reading.ours()["Arguments"][argument.name], argument));
  reading.project.data.arguments.push_back(std::move(argument));
  return {};
}

/** Refuses members of the key "kernelscape" for arguments that do not exist. */
Status check_own_arguments(Reading& reading) {
  const JsonPlace own = reading.ours()["Arguments"];
  if (!own.exists()) return {};
  if (!own.value->is_object()) return reading.fail_at(own, "is not an object of arguments by their names");
  static constexpr std::array<std::string_view, 4> known{"FillType", "FillValue", "DataSource", "RandomSeed"};
  std::vector<std::string> names;
  for (const ProgramArgument& argument : reading.project.data.arguments) names.push_back(argument.name);
  for (const auto& [name, value] : own.value->items()) {
    if (name == "Comment") continue;
    if (!in_list(names, name))
      return reading.fail_at(own[name], "is not an argument", base::suggest(name, names));
    reading.notice_unknown(own[name], known);
  }
  return {};
}

}  // namespace

Result<ArgumentFill> read_fill(Reading& reading, const JsonPlace& place, const JsonPlace& own,
                               const ProgramArgument& argument) {
  if (argument.memory == ArgumentMemory::Local) return ArgumentFill{};
  const JsonPlace kind = member_or(own, place, "FillType");
  const JsonPlace value = member_or(own, place, "FillValue");
  const std::string written = TRY(reading.text_of(kind, "Constant"));
  if (written == "BinaryRaw") return file_fill(reading, member_or(own, place, "DataSource"), argument);
  if (written == "Constant" && argument.memory == ArgumentMemory::Scalar)
    return scalar_fill(reading, value, argument);
  ArgumentFill fill;
  if (written == "Random")
    fill.kind = FillKind::Random;
  else if (written == "Ramp")
    fill.kind = FillKind::Ramp;
  else if (written != "Constant")
    return refused_fill(reading, kind, written);
  const PythonValue number =
      value.exists() ? TRY(value_at(reading, value)) : PythonValue(written == "Random" ? 1.0 : 0.0);
  // An upper bound is one above the largest integer: 256 for uint8.
  const bool bound = written == "Random" && element_bytes(argument.type) < 8;
  if (!element_of(bound && argument.type < ElementType::F16 ? ElementType::I64 : argument.type, number))
    return no_element(reading, value, number, argument.type);
  const auto* whole = std::get_if<std::int64_t>(&number);
  const auto* real = std::get_if<double>(&number);
  fill.value = whole != nullptr  ? static_cast<double>(*whole)
               : real != nullptr ? *real
                                 : std::get<bool>(number);
  if (written == "Random" && fill.value <= 0)
    return reading.fail_at(value, "is the upper bound of random values, and not above 0",
                           "write a positive number");
  const std::int64_t seed = TRY(reading.integer_at(member_or(own, place, "RandomSeed"), 1));
  if (seed < 0) return reading.fail_at(member_or(own, place, "RandomSeed"), "is negative");
  if (written == "Random") fill.seed = static_cast<std::uint64_t>(seed);
  return fill;
}

Status read_arguments(Reading& reading) {
  const JsonPlace list = reading.kernel()["Arguments"];
  if (!list.exists() || !list.value->is_array() || list.size() == 0)
    return reading.fail_at(list, "has no argument", "name those that the kernel takes, in their order");
  if (list.size() > max_kernel_arguments)
    return reading.fail_at(list, fmt::format("has over {} arguments", max_kernel_arguments));
  for (std::size_t index = 0; index < list.size(); ++index) TRY(add_argument(reading, list[index]));
  return check_own_arguments(reading);
}

}  // namespace kernelscape::project
