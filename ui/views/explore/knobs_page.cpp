#include "ui/views/explore/knobs_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <algorithm>
#include <cmath>

#include "ui/style/numbers.h"
#include "ui/views/explore/column_box.h"

namespace kernelscape::views {
namespace {

constexpr double growth_to_learn_again = 1.1;

QLabel* label(const QString& text, QWidget* buddy) {
  auto* made = new QLabel(text);
  made->setBuddy(buddy);
  return made;
}

QComboBox* choice(const QStringList& texts, const QString& accessible_name) {
  auto* box = new QComboBox;
  box->addItems(texts);
  box->setAccessibleName(accessible_name);
  return box;
}

QStringList heat_measures() {
  QStringList texts;
  for (const charts::HeatMeasure measure :
       {charts::HeatMeasure::Best, charts::HeatMeasure::Mean, charts::HeatMeasure::ShareValid,
        charts::HeatMeasure::Count, charts::HeatMeasure::Predicted})
    texts << figures::heat_measure_text(measure);
  return texts;
}

}  // namespace

KnobsPage::KnobsPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Knobs"), parent),
      effects_(new charts::EffectsChart(this)),
      importance_(new charts::ImportanceChart(this)),
      heat_map_(new charts::HeatMapChart(this)) {
  auto* top = new QSplitter(Qt::Horizontal);
  top->setChildrenCollapsible(false);
  top->addWidget(make_effects_panel());
  top->addWidget(make_importance_panel());
  top->setStretchFactor(0, 3);
  top->setStretchFactor(1, 2);
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(top);
  splitter->addWidget(make_heat_map_panel());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(&importance_jobs_, &workspace::JobTracker::progressed, this, [this](double fraction) {
    if (!importance_->notice().isEmpty())
      importance_->set_notice(
          tr("Computing the parameter importance: %1").arg(style::format_percent(fraction)));
  });
}

QWidget* KnobsPage::make_effects_panel() {
  effects_column_ = new ColumnBox(tr("Column whose effect is shown"));
  connect(effects_column_, &ColumnBox::column_changed, this, [this] {
    effect_chosen_ = true;
    compute_effects();
  });
  connect(effects_, &charts::EffectsChart::box_activated, this, &KnobsPage::pick_box);
  return make_panel({label(tr("Effect of"), effects_column_), effects_column_}, effects_);
}

QWidget* KnobsPage::make_importance_panel() {
  of_what_ = choice({tr("performance"), tr("validity")}, tr("Outcome explained by the importance"));
  connect(of_what_, &QComboBox::currentIndexChanged, this, [this] {
    importance_of_.reset();
    compute_importance();
  });
  connect(importance_, &charts::ImportanceChart::knobs_activated, this, &KnobsPage::choose_knobs);
  return make_panel({label(tr("Parameter importance (fANOVA)"), of_what_), of_what_}, importance_);
}

QWidget* KnobsPage::make_heat_map_panel() {
  x_column_ = new ColumnBox(tr("Horizontal column of the heat map"));
  y_column_ = new ColumnBox(tr("Vertical column of the heat map"));
  measure_ = choice(heat_measures(), tr("Colour of the heat map"));
  for (const ColumnBox* box : {x_column_, y_column_})
    connect(box, &ColumnBox::column_changed, this, [this] {
      cross_chosen_ = true;
      compute_heat_map();
    });
  connect(measure_, &QComboBox::currentIndexChanged, this, &KnobsPage::compute_heat_map);
  connect(heat_map_, &charts::HeatMapChart::cell_activated, this, &KnobsPage::pick_cell);
  connect(&beliefs_, &CellBeliefs::changed, this, [this] {
    if (measure() == charts::HeatMeasure::Predicted) compute_heat_map();
  });
  connect(&beliefs_, &CellBeliefs::progressed, this, [this] {
    const bool waits = measure() == charts::HeatMeasure::Predicted && !heat_map_->notice().isEmpty();
    if (waits && shown() && predicts()) heat_map_->set_notice(beliefs_.notice());
  });
  return make_panel({label(tr("Heat map of"), x_column_), x_column_, label(QStringLiteral("×"), y_column_),
                     y_column_, label(tr("by"), measure_), measure_},
                    heat_map_);
}

void KnobsPage::fill_boxes() {
  const analysis::TrialColumns& columns = shown()->source->columns();
  const auto [x, y] = figures::heat_map_columns(*shown(), nullptr);
  if (!effects_column_->set_columns(columns, x)) effect_chosen_ = false;
  const bool x_kept = x_column_->set_columns(columns, x);
  const bool y_kept = y_column_->set_columns(columns, y);
  if (!x_kept || !y_kept) cross_chosen_ = false;
}

void KnobsPage::open_with_what_decides(const figures::FigureOf<charts::ImportanceData>& importance) {
  if (opened_ || !importance.text.notice.isEmpty()) return;
  opened_ = true;
  const auto [x, y] = figures::heat_map_columns(*shown(), &importance);
  if (!effect_chosen_ && effects_column_->column() != x) {
    const QSignalBlocker not_by_the_user(effects_column_);
    effects_column_->set_column(x);
    compute_effects();
  }
  if (cross_chosen_ || (x_column_->column() == x && y_column_->column() == y)) return;
  const QSignalBlocker x_not_by_the_user(x_column_);
  const QSignalBlocker y_not_by_the_user(y_column_);
  x_column_->set_column(x);
  y_column_->set_column(y);
  compute_heat_map();
}

/** Returns true if there are as many valid trials as the importance needs. */
bool KnobsPage::has_content(const figures::ShownTrials& shown) {
  return std::ssize(shown.rows) - shown.failed >= static_cast<std::int64_t>(analysis::min_importance_rows);
}

void KnobsPage::compute() {
  fill_boxes();
  compute_effects();
  compute_heat_map();
  compute_importance();
}

void KnobsPage::compute_effects() {
  if (!shown()) return;
  jobs().start(
      [shown = shown(), column = effects_column_->column(), selection = workspace().selection(),
       database = workspace().database()](const workspace::JobControl& control) {
        return figures::effects_of(*shown, column, selection, database, control);
      },
      [this](figures::EffectsFigure figure) {
        effects_shown_ = std::move(figure);
        effects_shown_.text.show_in(*effects_);
        show_current();
      });
}

charts::HeatMeasure KnobsPage::measure() const {
  return static_cast<charts::HeatMeasure>(measure_->currentIndex());
}

bool KnobsPage::predicts() const {
  return measure() == charts::HeatMeasure::Predicted &&
         figures::heat_map_problem(*shown(), x_column_->column(), y_column_->column(), measure()).isEmpty();
}

void KnobsPage::compute_heat_map() {
  if (!shown()) return;
  const std::size_t x = x_column_->column();
  const std::size_t y = y_column_->column();
  const figures::Shown of = predicts() ? beliefs_.follow(shown(), x, y) : shown();
  heat_map_jobs_.start(
      [of, x, y, measure = measure(),
       selection = workspace().selection()](const workspace::JobControl& control) {
        return figures::heat_map_of(*of, x, y, measure, selection, control);
      },
      [this](figures::HeatMapFigure figure) { show_heat_map(std::move(figure)); });
}

/** Shows the heat map. Predicted cells are added when they have been computed. */
void KnobsPage::show_heat_map(figures::HeatMapFigure figure) {
  heat_map_shown_ = std::move(figure);
  charts::HeatMapData& map = heat_map_shown_.data;
  figures::Text& text = heat_map_shown_.text;
  if (map.measure == charts::HeatMeasure::Predicted && text.notice.isEmpty()) {
    text.notice = beliefs_.notice();
    if (text.notice.isEmpty()) text.of.prepend(beliefs_.origin_text() + QStringLiteral("; "));
    map.beliefs = beliefs_.cells();
    if (map.beliefs.empty()) map.cells.clear();
  }
  text.show_in(*heat_map_);
  show_current();
}

/**
 * Returns true if the importance need not be computed again: it is computed once per set of trials, does not
 * depend on the selection, and while a session runs waits until the number of trials has grown by a tenth.
 */
bool KnobsPage::importance_is_fresh(bool validity) const {
  if (!importance_of_ || validity != validity_shown_ ||
      importance_of_->source->id() != shown()->source->id() || importance_of_->filters != shown()->filters)
    return false;
  if (importance_of_ == shown() || importance_jobs_.busy()) return true;
  const auto learnt = static_cast<double>(importance_of_->rows.size());
  const bool any = validity || importance_of_->valid > 0;
  return any && shown()->source->running() &&
         static_cast<double>(shown()->rows.size()) < growth_to_learn_again * learnt;
}

void KnobsPage::compute_importance() {
  if (!shown()) return;
  const bool validity = of_what_->currentIndex() == 1;
  if (importance_is_fresh(validity)) return;
  const bool same_kind = importance_of_ && importance_of_->source->id() == shown()->source->id() &&
                         importance_of_->filters == shown()->filters && validity == validity_shown_;
  importance_of_ = shown();
  validity_shown_ = validity;
  figures::Text text = figures::importance_text(*shown(), validity);
  text.notice = same_kind ? importance_->notice() : tr("Computing the parameter importance ...");
  text.show_in(*importance_);
  importance_jobs_.start(
      [shown = shown(), validity](const workspace::JobControl& control) {
        return figures::importance_of(*shown, validity, control);
      },
      [this](const figures::FigureOf<charts::ImportanceData>& figure) {
        figure.show_in(*importance_);
        open_with_what_decides(figure);
        // Trials that arrived during the computation.
        compute_importance();
      });
}

void KnobsPage::show_current() {
  charts::EffectsData effects = effects_shown_.data;
  if (const auto value = current_value(effects_shown_.column))
    effects.current = figures::range_of(effects_shown_.ends, *value);
  if (!effects.boxes.empty()) effects_->set_data(std::move(effects));
  charts::HeatMapData cells = heat_map_shown_.data;
  const auto x = current_value(heat_map_shown_.x_column);
  const auto y = current_value(heat_map_shown_.y_column);
  if (x && y) {
    const auto x_bin = figures::range_of(heat_map_shown_.x_ends, *x);
    const auto y_bin = figures::range_of(heat_map_shown_.y_ends, *y);
    if (x_bin && y_bin) cells.current = *y_bin * cells.x_labels.size() + *x_bin;
  }
  if (!cells.cells.empty()) heat_map_->set_data(std::move(cells));
}

void KnobsPage::forget() {
  heat_map_jobs_.cancel();
  importance_jobs_.cancel();
  beliefs_.forget();
  effects_shown_ = {};
  heat_map_shown_ = {};
  importance_of_.reset();
  opened_ = false;
}

void KnobsPage::pick_box(int index) {
  if (!shown() || index < 0 || index >= static_cast<int>(effects_shown_.ends.size())) return;
  opened_ = true;
  const auto [low, high] = effects_shown_.ends[static_cast<std::size_t>(index)];
  pick_ranges({{effects_shown_.column, low, high}});
}

void KnobsPage::pick_cell(int x, int y) {
  const figures::HeatMapFigure& map = heat_map_shown_;
  if (!shown() || x < 0 || y < 0 || x >= static_cast<int>(map.x_ends.size()) ||
      y >= static_cast<int>(map.y_ends.size()))
    return;
  opened_ = true;
  const auto [x_low, x_high] = map.x_ends[static_cast<std::size_t>(x)];
  const auto [y_low, y_high] = map.y_ends[static_cast<std::size_t>(y)];
  pick_ranges({{map.x_column, x_low, x_high}, {map.y_column, y_low, y_high}});
}

void KnobsPage::choose_knobs(int first, int second) {
  if (!shown() || first < 0) return;
  const analysis::TrialColumns& columns = shown()->source->columns();
  if (second < 0) return effects_column_->set_column(columns.default_column(static_cast<std::size_t>(first)));
  x_column_->set_column(columns.default_column(static_cast<std::size_t>(first)));
  y_column_->set_column(columns.default_column(static_cast<std::size_t>(second)));
}

}  // namespace kernelscape::views
