#include "core/task/layer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/checks.h"
#include "core/task/file.h"

namespace kernelscape::task {
namespace {

constexpr std::uintmax_t largest_table_bytes = 128 << 20;
constexpr std::size_t longest_line = 2000;
constexpr std::string_view convolution_header = "kind,H=W,CO,CI,K,stride,pad,count";
constexpr std::string_view task_header = "task,count";

/** A layer from a line of a table. */
struct CountedTask {
  Task task;
  double count = 1;
};

/** Returns the fields between commas, without the quotes that spreadsheets add. */
std::vector<std::string> table_fields(std::string_view line) {
  std::vector<std::string> fields = base::split_text(line, ',');
  for (std::string& field : fields) {
    field = std::string(base::trimmed(field, " \t"));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
  }
  return fields;
}

template <typename Number>
bool reads_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Result<std::int64_t> read_table_number(std::string_view name, std::string_view text, std::int64_t least) {
  std::int64_t number = 0;
  if (!reads_whole(text, number))
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is {}", name, base::quoted_line(text)),
                "write a whole number");
  TRY(check_number("a layer", name, number, least));
  return number;
}

Result<double> read_count(std::string_view text) {
  double count = 0;
  if (!reads_whole(text, count) || !(count > 0) || count > LayerTable::largest_count) {
    return fail(
        ErrorCode::InvalidArgument, fmt::format("count is {}", base::quoted_line(text)),
        fmt::format("write how often the layer occurs: above 0, at most {:g}", LayerTable::largest_count));
  }
  return count;
}

Result<CountedTask> read_convolution_line(const std::vector<std::string>& fields) {
  static const std::vector<std::string> kinds = {"conv2d", "depthwise", "winograd"};
  const std::string& kind = fields.at(0);
  if (std::ranges::find(kinds, kind) == kinds.end())
    return fail(ErrorCode::NotFound, fmt::format("unknown kind {}", base::quoted_line(kind)),
                base::suggest(kind, kinds));
  const std::int64_t size = TRY(read_table_number("H=W", fields.at(1), 1));
  const std::int64_t kernel = TRY(read_table_number("K", fields.at(4), 1));
  const std::int64_t stride = TRY(read_table_number("stride", fields.at(5), 1));
  const std::int64_t padding = TRY(read_table_number("pad", fields.at(6), 0));
  Convolution convolution;
  convolution.output_channels = TRY(read_table_number("CO", fields.at(2), 1));
  convolution.input_channels = TRY(read_table_number("CI", fields.at(3), 1));
  convolution.groups = kind == "depthwise" ? convolution.input_channels : 1;
  convolution.input_size = {size, size};
  convolution.kernel = {kernel, kernel};
  convolution.stride = {stride, stride};
  convolution.padding = {padding, padding};
  convolution.dilation = {1, 1};
  const double count = TRY(read_count(fields.at(7)));
  Task task = TRY(make_convolution_task(convolution, {}));
  return CountedTask{std::move(task), count};
}

Result<CountedTask> read_task_line(const std::vector<std::string>& fields) {
  const double count = TRY(read_count(fields.at(1)));
  Task task = TRY(parse_task(fields.at(0)));
  return CountedTask{std::move(task), count};
}

/** One of the two forms of tables. */
struct TableForm {
  std::string_view header;
  std::size_t fields;
  Result<CountedTask> (*read)(const std::vector<std::string>& fields);
};
constexpr std::array table_forms = {TableForm{convolution_header, 8, read_convolution_line},
                                    TableForm{task_header, 2, read_task_line}};

Status add_line(const TableForm& form, std::string_view line, LayerTable& table) {
  if (line.size() > longest_line) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a line of {} characters", line.size()),
                fmt::format("a line may have at most {}", longest_line));
  }
  const std::vector<std::string> fields = table_fields(line);
  if (fields.size() != form.fields) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} fields instead of {}", fields.size(), form.fields),
                fmt::format("write {}", form.header));
  }
  const CountedTask layer = TRY(form.read(fields));
  return table.add(layer.task, layer.count);
}

Result<LayerTable> read_csv(const std::filesystem::path& path) {
  const std::string text = TRY(read_task_file(path, largest_table_bytes));
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  const TableForm* form = nullptr;
  LayerTable table;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (form == nullptr) {
      const std::string header = base::join(table_fields(line.substr(0, longest_line)), ",");
      const auto* found = std::ranges::find(table_forms, header, &TableForm::header);
      if (found == table_forms.end()) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{}, line {}: {} is not a header of a table of layers", path.string(), number,
                                base::quoted_line(line)),
                    fmt::format("begin with {}, or with {}", convolution_header, task_header));
      }
      form = found;
      continue;
    }
    if (Status status = add_line(*form, line, table); !status) {
      Error error = std::move(status.error());
      error.message = fmt::format("{}, line {}: {}", path.string(), number, error.message);
      return std::unexpected(std::move(error));
    }
  }
  if (table.rows().empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no layers", path.string()),
                fmt::format("write {} and a line for each layer", task_header));
  }
  return table;
}

/** Reads the layers of networks, and the tasks that are in no network. */
Result<LayerTable> read_json_table(const std::filesystem::path& path) {
  const Catalogue file = TRY(Catalogue::load_file(path));
  LayerTable table = TRY(LayerTable::of_networks(file));
  std::set<std::string, std::less<>> in_networks;
  for (const Network& network : file.networks())
    for (const NetworkLayer& layer : network.layers) in_networks.insert(layer.task);
  for (const Task& task : file.tasks()) {
    if (in_networks.contains(task.name)) continue;
    if (Status status = table.add(task, 1); !status) {
      Error error = std::move(status.error());
      error.message = fmt::format("{}: {}", path.string(), error.message);
      return std::unexpected(std::move(error));
    }
  }
  return table;
}

}  // namespace

Result<LayerTable> LayerTable::of_networks(const Catalogue& catalogue,
                                           std::span<const std::string> networks) {
  std::map<std::string, const Task*, std::less<>> tasks;
  for (const Task& task : catalogue.tasks()) tasks.emplace(task.name, &task);
  std::vector<std::string> known;
  for (const Network& network : catalogue.networks()) known.push_back(network.name);
  for (const std::string& name : networks) {
    if (std::ranges::find(known, name) == known.end())
      return fail(ErrorCode::NotFound, fmt::format("unknown network {}", base::quoted_line(name)),
                  base::suggest(name, known));
  }
  LayerTable table;
  for (const Network& network : catalogue.networks()) {
    if (!networks.empty() && std::ranges::find(networks, network.name) == networks.end()) continue;
    for (const NetworkLayer& layer : network.layers)
      TRY(table.add(*tasks.at(layer.task), static_cast<double>(layer.multiplicity)));
  }
  return table;
}

Result<LayerTable> LayerTable::of_tasks(const Catalogue& catalogue, std::span<const std::string> prefixes) {
  for (const std::string& prefix : prefixes) {
    const auto has_prefix = [&](const Task& task) { return task.name.starts_with(prefix); };
    if (std::ranges::any_of(catalogue.tasks(), has_prefix)) continue;
    std::set<std::string> known;
    for (const Task& task : catalogue.tasks()) {
      if (const std::size_t slash = task.name.find('/'); slash != std::string::npos)
        known.insert(task.name.substr(0, slash + 1));
    }
    return fail(ErrorCode::NotFound, fmt::format("no task's name begins with {}", base::quoted_line(prefix)),
                base::suggest(prefix, std::vector<std::string>(known.begin(), known.end())));
  }
  LayerTable table;
  for (const Task& task : catalogue.tasks()) {
    const auto names_it = [&](const std::string& prefix) { return task.name.starts_with(prefix); };
    if (std::ranges::any_of(prefixes, names_it)) TRY(table.add(task, 1));
  }
  return table;
}

Result<LayerTable> LayerTable::read(const std::filesystem::path& path) {
  return path.extension() == ".json" ? read_json_table(path) : read_csv(path);
}

Status LayerTable::add(const Task& task, double count) {
  if (!task.op) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not a convolution or multiplication", base::one_line(task.name)),
                "a table of layers supports no other operators");
  }
  if (!(count > 0) || count > largest_count) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} occurs {} times", base::one_line(task.name), count),
                fmt::format("a count is above 0 and at most {:g}", largest_count));
  }
  return add_row({task.definition, operand_types(*task.op), count, task.text});
}

Status LayerTable::add(const LayerTable& other) {
  for (const LayerRow& row : other.rows_) TRY(add_row(row));
  return {};
}

Status LayerTable::add_row(LayerRow row) {
  const auto [position, added] = positions_.try_emplace(row.text, rows_.size());
  if (!added) {
    rows_[position->second].count += row.count;
    return {};
  }
  if (rows_.size() == max_rows) {
    positions_.erase(position);
    return fail(ErrorCode::InvalidArgument, fmt::format("a table of more than {} layers", max_rows),
                "remove some");
  }
  rows_.push_back(std::move(row));
  return {};
}

LayerTable LayerTable::only(LayerKind kind) const {
  LayerTable table;
  for (const LayerRow& row : rows_) {
    if (row.kind() != kind) continue;
    table.positions_.emplace(row.text, table.rows_.size());
    table.rows_.push_back(row);
  }
  return table;
}

double LayerTable::total_count() const {
  double total = 0;
  for (const LayerRow& row : rows_) total += row.count;
  return total;
}

}  // namespace kernelscape::task
