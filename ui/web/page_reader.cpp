#include "ui/web/page_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ui/models/study_model.h"
#include "ui/report/report.h"
#include "ui/workspace/source.h"

namespace kernelscape::web {
namespace {

class SessionReader : public PageReader {
 public:
  SessionReader(std::filesystem::path database, store::SessionId id)
      : database_(std::move(database)), id_(id) {}

  Result<std::optional<PageContents>> read(const workspace::JobControl& control) override {
    if (!reader_ || store_->is_snapshot()) {
      reader_.reset();
      store_.emplace(TRY(store::Store::open(database_, store::OpenMode::ReadOnly)));
      reader_.emplace(*store_, id_);
    }
    workspace::Source source = TRY(reader_->read());
    if (last_ && workspace::same_source(*last_, *source)) return std::nullopt;
    PageContents contents;
    contents.document = TRY(report::live_session_document(source, database_, control));
    last_ = std::move(source);
    return contents;
  }

 private:
  std::filesystem::path database_;
  store::SessionId id_;
  std::optional<store::Store> store_;
  std::optional<workspace::SourceReader> reader_;
  workspace::Source last_;
};

/** Returns links to the sessions of a study that run; empty if none does. */
base::HtmlText running_links(const std::vector<store::StudyRun>& runs) {
  constexpr std::size_t max_links = 20;
  std::vector<base::HtmlText> links;
  for (const store::StudyRun& run : runs)
    if (run.session && run.status.state == store::SessionState::Running && links.size() < max_links)
      links.push_back(
          base::write<base::Html>("<a href=\"/session/{}\">session {}</a>", *run.session, *run.session));
  if (links.empty()) return {};
  return "<nav aria-label=\"Running sessions\"><p>Running now: " + base::joined<base::Html>(links, ", ") +
         "</p></nav>\n";
}

class StudyReader : public PageReader {
 public:
  StudyReader(std::filesystem::path database, store::StudyId id) : database_(std::move(database)), id_(id) {}

  Result<std::optional<PageContents>> read(const workspace::JobControl& control) override {
    if (!store_ || store_->is_snapshot())
      store_.emplace(TRY(store::Store::open(database_, store::OpenMode::ReadOnly)));
    const store::StudySummary summary = TRY(store_->studies().get(id_));
    if (store::is_collection(summary.record))
      return fail(ErrorCode::NotFound, fmt::format("study {} is a collection of imported sessions", id_),
                  "open its sessions from the list");
    State state;
    state.text = models::study_state_text(summary);
    const std::vector<store::StudyRun> runs = TRY(store_->studies().runs(id_));
    for (const store::StudyRun& run : runs)
      state.runs.push_back({run.session, run.status.state, run.status.trial_count, run.error});
    if (last_ == state) return std::nullopt;
    PageContents contents;
    contents.document = TRY(report::study_report_document(*store_, id_, control));
    contents.links = running_links(runs);
    contents.document.subtitle += QStringLiteral(" · ") + state.text;
    last_ = std::move(state);
    return contents;
  }

 private:
  /** The properties of a run that show whether it changed. */
  struct RunState {
    std::optional<store::SessionId> session;
    store::SessionState state;
    std::int64_t trials;
    std::string error;

    bool operator==(const RunState&) const = default;
  };
  struct State {
    QString text;
    std::vector<RunState> runs;

    bool operator==(const State&) const = default;
  };

  std::filesystem::path database_;
  store::StudyId id_;
  std::optional<store::Store> store_;
  std::optional<State> last_;
};

}  // namespace

std::unique_ptr<PageReader> make_session_reader(const std::filesystem::path& database, store::SessionId id) {
  return std::make_unique<SessionReader>(database, id);
}

std::unique_ptr<PageReader> make_study_reader(const std::filesystem::path& database, store::StudyId id) {
  return std::make_unique<StudyReader>(database, id);
}

}  // namespace kernelscape::web
