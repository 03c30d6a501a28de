#include <QStringList>
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/stored_best.h"
#include "core/task/task.h"
#include "core/task/title.h"
#include "core/trial/measure_options.h"
#include "ui/models/session_text.h"
#include "ui/models/study_model.h"
#include "ui/style/numbers.h"
#include "ui/web/page_reader.h"

namespace kernelscape::web {
namespace {

/** Maximum number of ended sessions, and of ended studies, that a page lists. */
constexpr std::ptrdiff_t max_ended = 100;

const QString middle_dot = QStringLiteral(" · ");

base::HtmlText progress_bar(double share) {
  return share < 0 ? base::HtmlText()
                   : base::write<base::Html>(
                         "<progress aria-label=\"Progress\" max=\"1\" value=\"{:.3f}\"></progress> ", share);
}

/** Returns an item of a list: a link, what it is, and its state. */
base::HtmlText list_item(base::Literal path, std::int64_t id, const QString& title, const QString& about,
                         const base::HtmlText& bar, const QString& state) {
  return base::write<base::Html>(
      "<li><a href=\"/{}/{}\">{}</a> <span class=\"muted\">{}</span>\n<p>{}{}</p></li>\n", path, id,
      title.toStdString(), about.toStdString(), bar, state.toStdString());
}

base::HtmlText session_item(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  const store::SessionStatus& status = session.summary.status;
  const trial::Budget budget = models::session_budget(session);
  QStringList about{models::session_task_text(session), QString::fromStdString(record.target_name),
                    models::session_tuner_text(record), QStringLiteral("session %1").arg(record.id),
                    models::created_text(record.created_utc)};
  about.removeAll(QString());
  const bool runs = models::session_runs(session);
  QStringList state{models::session_state_text(session),
                    QStringLiteral("%1 trials").arg(models::session_trials_text(session, budget)),
                    QStringLiteral("best %1").arg(models::session_best_text(session))};
  if (runs) state << style::format_duration_left(models::session_seconds_left(status, budget));
  return list_item("session", record.id, models::session_title(session), about.join(middle_dot),
                   runs ? progress_bar(models::session_progress(session, budget)) : base::HtmlText(),
                   state.join(QStringLiteral(", ")));
}

bool study_runs(const store::StudySummary& study) { return study.owner && study.owner->alive(); }

base::HtmlText study_item(const store::StudySummary& study) {
  const QStringList about{QStringLiteral("study %1").arg(study.record.id),
                          models::created_text(study.record.created_utc)};
  const double share = study.record.run_count > 0 ? static_cast<double>(study.done_runs) /
                                                        static_cast<double>(study.record.run_count)
                                                  : -1;
  return list_item(
      "study", study.record.id, QString::fromStdString(study.record.name), about.join(middle_dot),
      study_runs(study) ? progress_bar(share) : base::HtmlText(),
      models::study_state_text(study) + QStringLiteral(", ") + models::study_progress_text(study));
}

/** Appends a heading and a list; nothing if the list is empty. */
void append_list(base::HtmlText& text, base::Literal heading, const std::vector<base::HtmlText>& items) {
  if (items.empty()) return;
  text += "<h2>" + base::HtmlText(heading) + "</h2>\n<ul class=\"runs\">\n" +
          base::joined<base::Html>(items, "") + "</ul>\n";
}

class ListReader : public PageReader {
 public:
  explicit ListReader(std::filesystem::path database) : database_(std::move(database)) {}

  Result<std::optional<PageContents>> read(const workspace::JobControl& control) override {
    TRY(open());
    std::vector<Error> unreadable;
    std::vector<store::SessionSummary> sessions = TRY(store_->sessions().list(&unreadable));
    std::vector<store::StudySummary> studies = TRY(store_->studies().all(&unreadable));
    std::erase_if(studies, [](const auto& study) { return store::is_collection(study.record); });
    PageContents contents;
    contents.document.title = QStringLiteral("Sessions and studies");
    contents.document.subtitle = QString::fromStdString(database_.string());
    std::vector<report::Block>& blocks = contents.document.blocks;
    if (sessions.empty() && studies.empty())
      blocks.emplace_back(report::Paragraph{QStringLiteral(
          "There is no session yet. Start one, such as `kernelscape tune resnet18/C6`: it appears here.")});
    for (const Error& error : unreadable)
      blocks.emplace_back(report::Paragraph{QString::fromStdString(describe(error)), report::Tone::Notice});
    contents.list = make_lists(std::move(sessions), studies, contents.document);
    if (!control.proceed()) return fail(ErrorCode::Refused, "reading the list was cancelled");
    if (last_ == contents.list && last_unreadable_ == unreadable) return std::nullopt;
    last_ = contents.list;
    last_unreadable_ = std::move(unreadable);
    return contents;
  }

 private:
  /** A database that does not exist yet is looked for at each reading, and a copy is made anew. */
  Status open() {
    if (store_ && !store_->is_snapshot()) return {};
    std::error_code error;
    const bool exists = std::filesystem::exists(database_, error);
    store_.emplace(TRY(exists ? store::Store::open(database_, store::OpenMode::ReadOnly)
                              : store::Store::nothing_yet(database_)));
    return {};
  }

  base::HtmlText make_lists(std::vector<store::SessionSummary> sessions,
                            const std::vector<store::StudySummary>& studies, report::Document& document) {
    std::vector<base::HtmlText> running;
    std::vector<base::HtmlText> ended_studies;
    std::vector<base::HtmlText> ended_sessions;
    std::map<store::SessionId, workspace::SessionEntry> entries;
    std::ptrdiff_t left_out = 0;
    for (const store::StudySummary& study : studies) {
      const bool runs = study_runs(study);
      if (!runs && std::ssize(ended_studies) == max_ended)
        ++left_out;
      else
        (runs ? running : ended_studies).push_back(study_item(study));
    }
    for (store::SessionSummary& session : sessions) {
      const bool runs = session.status.state == store::SessionState::Running;
      if (!runs && std::ssize(ended_sessions) == max_ended) {
        ++left_out;
        continue;
      }
      const store::SessionId id = session.record.id;
      const workspace::SessionEntry& entry =
          entries.emplace(id, make_entry(std::move(session))).first->second;
      (runs ? running : ended_sessions).push_back(session_item(entry));
    }
    known_ = std::move(entries);
    if (left_out > 0)
      document.blocks.emplace_back(report::Paragraph{
          QStringLiteral("%1 older ones are not listed: see `kernelscape sessions` and `kernelscape study "
                         "--list`.")
              .arg(style::format_count(left_out)),
          report::Tone::Muted});
    base::HtmlText text;
    append_list(text, "Running", running);
    append_list(text, "Sessions", ended_sessions);
    append_list(text, "Studies", ended_studies);
    return text;
  }

  /** Reads the best result only if the session changed: of a running one, that may read all trials. */
  workspace::SessionEntry make_entry(store::SessionSummary session) const {
    const auto known = known_.find(session.record.id);
    if (known != known_.end() && workspace::same_status(known->second.summary.status, session.status)) {
      workspace::SessionEntry entry = known->second;
      entry.summary = std::move(session);
      return entry;
    }
    workspace::SessionEntry entry{.summary = std::move(session), .improvements = {}};
    const store::SessionRecord& record = entry.summary.record;
    if (const Result<task::Task> task = task::task_from_json(record.task_json)) {
      entry.flops = task->flops();
      entry.shape = task::shape_text(*task);
    }
    if (const Result<trial::MeasureOptions> options = trial::stored_measure_options(record.options_json))
      entry.build_only = options->build_only;
    entry.best =
        exchange::read_best(*store_, entry.summary).value_or(exchange::best_of_status(entry.summary.status));
    return entry;
  }

  std::filesystem::path database_;
  std::optional<store::Store> store_;
  std::map<store::SessionId, workspace::SessionEntry> known_;
  std::optional<base::HtmlText> last_;
  std::vector<Error> last_unreadable_;
};

}  // namespace

std::unique_ptr<PageReader> make_list_reader(const std::filesystem::path& database) {
  return std::make_unique<ListReader>(database);
}

}  // namespace kernelscape::web
