#include "core/exchange/import_collection.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/exchange/validation_values.h"
#include "core/task/title.h"

namespace kernelscape::exchange {
namespace {

constexpr std::string_view notice_divider = ": ";
/** So many notices with the same reason are still shown separately. */
constexpr std::size_t max_alike_notices = 2;

std::string part_title(const ImportedTrials& part) {
  if (part.own && !part.header.name.empty()) return part.header.name;
  const Result<task::Task> task = task::task_from_json(part.header.task_json);
  return cleaned_text(task ? task::task_title(*task) : part.header.name, name_limits);
}

/** Returns REASON of "WHAT: REASON"; empty if there is none. */
std::string_view notice_reason(std::string_view notice) {
  const std::size_t at = notice.find(notice_divider);
  return at == std::string_view::npos ? std::string_view() : notice.substr(at);
}

}  // namespace

std::vector<std::string> part_names(const std::vector<ImportedTrials>& parts) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> uses;
  for (const ImportedTrials& part : parts) ++uses[names.emplace_back(part_title(part))];
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& kind = parts[i].header.template_name;
    if (uses[names[i]] > 1 && !kind.empty()) names[i] += fmt::format(" ({})", kind);
    const std::size_t number = ++numbers[names[i]];
    if (number > 1) names[i] += fmt::format(" #{}", number);
  }
  return names;
}

std::vector<std::string> folded_notices(std::vector<std::string> notices) {
  std::map<std::string, std::size_t> alike;
  for (const std::string& notice : notices) ++alike[std::string(notice_reason(notice))];
  std::vector<std::string> folded;
  std::set<std::string> reported;
  for (std::string& notice : notices) {
    const std::string reason(notice_reason(notice));
    const std::size_t count = alike[reason];
    if (reason.empty() || count <= max_alike_notices) {
      folded.push_back(std::move(notice));
    } else if (reported.insert(reason).second) {
      const std::string what = notice.substr(0, notice.size() - reason.size());
      folded.push_back(fmt::format("{} and {} others{}", what, count - 1, reason));
    }
  }
  return folded;
}

std::int64_t task_count(const std::vector<ImportedTrials>& parts) {
  std::set<std::string_view> tasks;
  for (const ImportedTrials& part : parts) tasks.insert(part.header.task_json);
  return std::ssize(tasks);
}

}  // namespace kernelscape::exchange
