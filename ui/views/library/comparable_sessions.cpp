#include "ui/views/library/comparable_sessions.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <tuple>

#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

QString compared_words(const char* text) { return QCoreApplication::translate("ComparableSessions", text); }

/**
 * Returns a key that is equal for sessions that a comparison treats as runs of one task: see
 * ComparisonReader.
 */
std::tuple<std::string, std::string, std::uint64_t> compared_task_of(const store::SessionRecord& record) {
  return {record.task_json, record.target_name, record.space_fingerprint};
}

}  // namespace

ComparableSessions comparable_sessions(const std::vector<workspace::SessionEntry>& chosen,
                                       const std::vector<store::StudyId>& collections,
                                       const std::vector<workspace::SessionEntry>& all) {
  std::vector<const workspace::SessionEntry*> candidates;
  const auto in_collections = [&](const workspace::SessionEntry& entry) {
    return std::ranges::find(collections, entry.summary.study.value_or(0)) != collections.end();
  };
  for (const workspace::SessionEntry& entry : chosen)
    if (!in_collections(entry)) candidates.push_back(&entry);
  const std::size_t loose = candidates.size();
  for (const workspace::SessionEntry& entry : std::views::reverse(all))
    if (in_collections(entry)) candidates.push_back(&entry);
  std::map<std::tuple<std::string, std::string, std::uint64_t>, int> of_task;
  for (const workspace::SessionEntry* entry : candidates) ++of_task[compared_task_of(entry->summary.record)];
  ComparableSessions comparable;
  for (std::size_t place = 0; place < candidates.size(); ++place) {
    const store::SessionRecord& record = candidates[place]->summary.record;
    if (place < loose || of_task[compared_task_of(record)] > 1) comparable.sessions.push_back(record.id);
  }
  if (comparable.sessions.size() > 1) return comparable;
  comparable.reason = collections.empty()
                          ? compared_words("Choose at least two sessions.")
                          : compared_words(
                                "No two of these %1 sessions have the same task, target and space. Choose "
                                "further sessions of the same tasks.")
                                .arg(style::format_count(static_cast<std::int64_t>(candidates.size())));
  return comparable;
}

}  // namespace kernelscape::views
