#include "ui/figures/frequent_messages.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "core/store/store.h"
#include "core/trial/failure_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr qsizetype longest_line = 120;
constexpr std::size_t messages_in_a_notice = 3;

QString message_text_of(const char* text) { return QCoreApplication::translate("ShownTrials", text); }

/** Returns the messages with their counts, one per line: "12 × compiler crashed". */
QString most_frequent_text(const FrequentMessages& messages) {
  QStringList lines;
  for (const FrequentMessage& message : messages.messages) {
    const std::string_view category = trial::to_string(message.category);
    QString text =
        QString::fromStdString(trial::failure_text(message.category, message.text).text).left(longest_line);
    if (text.isEmpty()) text = QString::fromUtf8(category.data(), static_cast<qsizetype>(category.size()));
    lines.append(style::format_count(message.count) + QStringLiteral(" × ") + text);
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

Result<FrequentMessages> frequent_messages(const std::filesystem::path& database, const ShownTrials& shown,
                                           std::size_t most, const workspace::JobControl& control) {
  std::map<std::pair<std::int64_t, trial::ErrorCategory>, FrequentMessage> found;
  for (std::size_t index = 0; index < shown.rows.size(); ++index) {
    if (index % workspace::rows_at_once == 0 && !control.proceed()) return FrequentMessages{};
    const std::int64_t row = shown.rows[index];
    const trial::Row trial = shown.source->trials.row(row);
    if (trial.category == trial::ErrorCategory::NoError) continue;
    FrequentMessage& message = found[{trial.message, trial.category}];
    if (message.count++ == 0) message = {trial.message, trial.category, 1, row, trial.number, {}};
  }
  FrequentMessages result;
  result.distinct = found.size();
  for (auto& [key, message] : found) result.messages.push_back(std::move(message));
  std::ranges::sort(result.messages, [](const FrequentMessage& a, const FrequentMessage& b) {
    return a.count != b.count ? a.count > b.count : a.first_row < b.first_row;
  });
  if (result.messages.size() > most) result.messages.resize(most);
  if (result.messages.empty()) return result;
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  for (FrequentMessage& message : result.messages) {
    if (!control.proceed()) return result;
    if (message.id == 0) continue;
    message.text = TRY(store.trials().message(message.id));
  }
  return result;
}

QString no_performance_notice(const std::filesystem::path& database, const ShownTrials& shown,
                              const workspace::JobControl& control) {
  if (shown.valid > 0) return {};
  if (shown.source->build_only())
    return message_text_of(
        "Build only: no kernel was run, so there are no timings to show here.\nThe Errors page shows which "
        "kernels failed to build; Parallel and the heat map of Knobs show the resources of the kernels.");
  const auto messages = frequent_messages(database, shown, messages_in_a_notice, control);
  return message_text_of("No valid trial yet. The most frequent messages:\n%1")
      .arg(messages ? most_frequent_text(*messages) : QString());
}

}  // namespace kernelscape::figures
