#include "ui/views/explore/predictions_page.h"

#include <QBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTableView>

#include "ui/charts/curves/prediction_chart.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/explore/misjudged_model.h"

namespace kernelscape::views {
namespace {

/** More rows than a user would read. */
constexpr std::size_t max_misjudged = 500;

struct PredictionsOutcome {
  std::optional<figures::FigureOf<charts::SeriesData>> figure;
  figures::MisjudgedTrials misjudged;
};

/** Returns why there is nothing to compare with the measurements. */
QString missing_predictions_text(const store::SessionRecord& record) {
  if (record.kind == store::SessionKind::Recorded)
    return PredictionsPage::tr(
        "A recorded space has no predictions: no tuner chose its trials.\nReplay it in Tune with a tuner "
        "that "
        "has a model, such as gp or adatune.");
  if (record.tuner.empty())
    return PredictionsPage::tr(
        "The imported log has no predictions, and does not say which tuner chose its trials.");
  return PredictionsPage::tr(
             "%1 reported no predictions. Tuners with a model do, such as one-shot, gp and adatune.")
      .arg(QString::fromStdString(record.tuner));
}

QString misjudged_caption(const figures::MisjudgedTrials& trials) {
  if (trials.judged == 0) return PredictionsPage::tr("None of the shown valid trials has a prediction.");
  const std::int64_t listed = std::ssize(trials.worst);
  QString text = listed < trials.judged
                     ? PredictionsPage::tr("The %1 worst misjudged of %2 predicted valid trials")
                           .arg(style::format_count(listed), style::format_count(trials.judged))
                     : PredictionsPage::tr("%1 predicted valid trials, the worst misjudged first")
                           .arg(style::format_count(listed));
  if (trials.failed > 0)
    text += PredictionsPage::tr("; %1 more failed, which predictions do not cover")
                .arg(style::format_count(trials.failed));
  return text + QLatin1Char('.');
}

}  // namespace

PredictionsPage::PredictionsPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Predictions"), parent),
      chart_(new charts::PredictionChart(this)),
      model_(new MisjudgedModel(this)) {
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, chart_));
  splitter->addWidget(make_list());
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(chart_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
}

QWidget* PredictionsPage::make_list() {
  caption_ = new QLabel;
  caption_->setWordWrap(true);
  table_ = make_table(tr("Misjudged trials, the worst first"), model_, {7, 14, 14, 14});
  const auto follow = [this](const QModelIndex& index) {
    if (index.isValid()) this->workspace().set_current_row(model_->trial(index.row()).row);
  };
  connect(table_, &QTableView::clicked, this, follow);
  connect(table_, &QTableView::activated, this, follow);
  auto* panel = new QWidget;
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(style::grid_pixels, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(caption_);
  layout->addWidget(table_, 1);
  return panel;
}

/** Returns true if the tuner reported predictions. */
bool PredictionsPage::has_content(const figures::ShownTrials& shown) {
  return figures::prediction_figure(*shown.source).has_value();
}

void PredictionsPage::compute() {
  jobs().start(
      [shown = shown()](const workspace::JobControl& control) {
        PredictionsOutcome outcome{figures::prediction_figure(*shown->source), {}};
        if (outcome.figure) {
          outcome.figure->data.passing = figures::passing_rows(*shown);
          outcome.figure->text.of =
              charts::passing_text(outcome.figure->data.passing, shown->source->trials.size());
          outcome.misjudged = figures::misjudged_trials(*shown, outcome.figure->data, max_misjudged, control);
        }
        return outcome;
      },
      [this](const PredictionsOutcome& outcome) { show_outcome(outcome.figure, outcome.misjudged); });
}

void PredictionsPage::show_outcome(const std::optional<figures::FigureOf<charts::SeriesData>>& figure,
                                   const figures::MisjudgedTrials& misjudged) {
  if (figure) {
    figure->show_in(*chart_);
    caption_->setText(misjudged_caption(misjudged));
    model_->set_trials(misjudged.worst, QString::fromStdString(figure->data.figure.unit));
  } else {
    forget();
    chart_->set_notice(missing_predictions_text(shown()->source->record()));
  }
  follow_selection();
  show_current();
}

void PredictionsPage::follow_selection() { chart_->set_selection(workspace().selection()); }

void PredictionsPage::show_current() {
  const std::int64_t row = workspace().current_row();
  chart_->set_current_row(row);
  const int listed = model_->row_of(row);
  if (listed < 0) return table_->selectionModel()->clear();
  if (table_->currentIndex().row() == listed && table_->selectionModel()->hasSelection()) return;
  table_->setCurrentIndex(model_->index(listed, 0));
}

void PredictionsPage::forget() {
  chart_->set_data({});
  model_->set_trials({}, {});
  caption_->clear();
}

}  // namespace kernelscape::views
