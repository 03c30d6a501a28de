#include "ui/views/compare/analysed_spaces_page.h"

#include <QGridLayout>
#include <QPushButton>

#include "core/study/execution.h"
#include "ui/figures/registry.h"
#include "ui/figures/shown_trials.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr int spaces_side_by_side = 2;
constexpr int min_chart_width = 320;

Result<AnalysedSpace> analysed_space(const store::Store& store, store::SessionId id,
                                     const workspace::JobControl& control) {
  const workspace::Source source = TRY(workspace::SourceReader(store, id).read());
  const store::SessionRecord& record = source->record();
  AnalysedSpace space{.session = id,
                      .title = QString::fromStdString(record.name.empty() ? record.task_name : record.name),
                      .coverage = QString::fromStdString(source->coverage_text()),
                      .figures = {}};
  const figures::Source shown{.session = source,
                              .shown = figures::make_shown(source, {}, std::nullopt, control),
                              .database = store.path()};
  if (!shown.shown) return space;
  for (const figures::ReportPart part : {figures::ReportPart::Outcomes, figures::ReportPart::Space})
    for (const figures::Kind& kind : figures::figure_kinds()) {
      if (kind.part != part) continue;
      for (figures::Figure& figure : kind.figures(shown, control))
        if (figure.text.notice.isEmpty() && figure.group.isEmpty())
          space.figures.push_back(std::move(figure));
    }
  return space;
}

Result<std::vector<AnalysedSpace>> analysed_spaces(const std::filesystem::path& database, store::StudyId id,
                                                   const workspace::JobControl& control) {
  store::Store read = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  const store::Store store = TRY(study::with_analysed_sessions(std::move(read), id));
  const study::Definition study = TRY(study::stored_study(store, id));
  std::vector<AnalysedSpace> spaces;
  for (const store::SessionId session : TRY(study::analysed_sessions(store, study))) {
    if (!control.proceed()) break;
    spaces.push_back(TRY(analysed_space(store, session, control)));
  }
  return spaces;
}

}  // namespace

AnalysedSpacesPage::AnalysedSpacesPage(workspace::Workspace& workspace, QWidget* parent)
    : QScrollArea(parent), workspace_(workspace) {
  setAccessibleName(tr("Analysed spaces"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  clear();
}

void AnalysedSpacesPage::clear() {
  auto* content = new QWidget;
  grid_ = new QGridLayout(content);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(style::grid_pixels);
  setWidget(content);
}

void AnalysedSpacesPage::show_text(const QString& text) {
  clear();
  auto* label = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  label->setText(text);
  grid_->addWidget(label, 0, 0, Qt::AlignTop);
}

void AnalysedSpacesPage::open(store::StudyId study) {
  if (study_ == study) return;
  study_ = study;
  show_text(tr("Reading the recorded spaces ..."));
  job_.start([database = workspace_.database(), study](
                 const workspace::JobControl& control) { return analysed_spaces(database, study, control); },
             [this](const Result<std::vector<AnalysedSpace>>& spaces) {
               if (spaces) return show_spaces(*spaces);
               show_text(QString::fromStdString(describe(spaces.error())));
               study_.reset();  // the next call tries again
             });
}

void AnalysedSpacesPage::show_spaces(const std::vector<AnalysedSpace>& spaces) {
  clear();
  int row = 0;
  for (std::size_t first = 0; first < spaces.size(); first += spaces_side_by_side) {
    for (int column = 0; column < spaces_side_by_side; ++column) {
      const std::size_t space = first + static_cast<std::size_t>(column);
      if (space < spaces.size()) add_space(spaces[space], column, row);
    }
    row = grid_->rowCount();
  }
}

/** Adds a space as a column of its title, its coverage and its figures. */
void AnalysedSpacesPage::add_space(const AnalysedSpace& space, int column, int first_row) {
  auto* title = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  title->set_bold(true);
  title->setText(space.title);
  auto* coverage = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  coverage->setText(space.coverage);
  auto* explore = new QPushButton(tr("Open in Explore"));
  explore->setAccessibleName(tr("Open %1 in Explore").arg(space.title));
  connect(explore, &QPushButton::clicked, this,
          [this, session = space.session] { emit explore_requested(session); });
  int row = first_row;
  grid_->addWidget(title, row++, column);
  grid_->addWidget(coverage, row++, column);
  grid_->addWidget(explore, row++, column, Qt::AlignLeft);
  for (const figures::Figure& figure : space.figures) {
    charts::Chart* chart = figure.make().release();
    chart->setMinimumSize(min_chart_width, figure.size.height());
    connect(chart, &charts::Chart::notified, this, &AnalysedSpacesPage::notified);
    grid_->addWidget(chart, row++, column);
  }
}

}  // namespace kernelscape::views
