#include "ui/views/learn/predictor_pages.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>
#include <initializer_list>

#include "core/study/data_set_reader.h"
#include "ui/charts/chart.h"
#include "ui/charts/row.h"
#include "ui/models/predictor_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_predictors = 2;

const study::KnownPredictor* find_predictor(const workspace::LearningListsPointer& lists,
                                            const QString& key) {
  if (!lists || key.isEmpty()) return nullptr;
  const auto found = std::ranges::find(lists->predictors, key, models::predictor_key);
  return found == lists->predictors.end() ? nullptr : &*found;
}

/** Returns true if two versions of a predictor give the same results on tasks. */
bool same_outcomes(const study::KnownPredictor& a, const study::KnownPredictor& b) {
  return models::predictor_key(a) == models::predictor_key(b) && a.hash == b.hash;
}

/** Fills a box. Equal entries are not replaced, so that an open list does not change under the mouse. */
void fill_choices(QComboBox* box, const QStringList& texts, const QStringList& keys, const QString& chosen) {
  const QSignalBlocker quiet(box);
  bool same = box->count() == texts.size();
  for (int i = 0; same && i < box->count(); ++i)
    same = box->itemData(i).toString() == keys[i] && box->itemText(i) == texts[i];
  if (!same) box->clear();
  for (int i = 0; !same && i < texts.size(); ++i) box->addItem(texts[i], keys[i]);
  box->setCurrentIndex(std::max(0, box->findData(chosen)));
}

/** Returns the training data of the predictor, or NotFound if they are in another database. */
Result<std::vector<std::string>> own_sources(const store::Store& store,
                                             const study::KnownPredictor& predictor) {
  if (!predictor.id || !predictor.origin.empty())
    return fail(ErrorCode::NotFound, "its training data are not in this database",
                "choose the measurements of a data set");
  const store::PredictorSummary summary = TRY(store.predictors().get(*predictor.id));
  return TRY(study::training_definition_from_json(summary.record.definition_json)).sources;
}

Result<std::shared_ptr<const predictor::DataSet>> read_measurements(const store::Store& store,
                                                                    const study::KnownPredictor& predictor,
                                                                    const QString& measurements) {
  const std::vector<std::string> sources =
      measurements.isEmpty() ? TRY(own_sources(store, predictor)) : std::vector{measurements.toStdString()};
  return std::make_shared<const predictor::DataSet>(
      TRY(study::read_data_set(store, sources, predictor.template_name, study::AbsentTemplates::LeftOut)));
}

figures::ShownSamples no_samples(const Error& error) {
  return {.samples = {}, .reason = QString::fromStdString(describe(error))};
}

Result<figures::PredictedSamples> samples_of(const store::Store& store, const study::KnownPredictor& known,
                                             const predictor::DataSet& data, const std::string& task) {
  const std::shared_ptr<const predictor::Predictor> predictor =
      TRY(study::open_known_predictor(store, known));
  return figures::predict_samples(*predictor, data, task);
}

}  // namespace

PredictorPages::PredictorPages(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  setAccessibleName(tr("Predictor"));
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Pages of the predictor"));
  tabs_->tabBar()->setAccessibleName(tr("Pages of the predictor"));
  auto* head = make_head();
  tabs_->addTab(make_training_page(), tr("Training"));
  tabs_->addTab(make_tasks_page(), tr("Tasks"));
  tabs_->addTab(make_origin_page(), tr("Settings and origin"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(head);
  layout->addWidget(tabs_, 1);
}

QWidget* PredictorPages::make_head() {
  title_ = new widgets::WrappedLabel(style::TextSize::Large, &style::Colours::text);
  state_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  for (widgets::WrappedLabel* label : {title_, state_})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  second_box_ = new QComboBox;
  second_box_->setAccessibleName(tr("Predictor to compare with"));
  second_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  second_box_->setMinimumContentsLength(20);
  auto* label = new QLabel(tr("Compare with"));
  label->setBuddy(second_box_);
  connect(second_box_, &QComboBox::activated, this,
          [this](int index) { open_second(second_box_->itemData(index).toString()); });
  auto* report = new QPushButton(tr("Report..."));
  connect(report, &QPushButton::clicked, this, &PredictorPages::report_requested);
  auto* choices = new QWidget;
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  choices->setLayout(line);
  for (QWidget* widget : std::initializer_list<QWidget*>{label, second_box_, report}) line->addWidget(widget);
  line->addWidget(new QWidget);  // takes the rest of the line
  auto* head = new QWidget;
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(style::grid_pixels / 2);
  column->addWidget(title_);
  column->addWidget(state_);
  column->addWidget(choices);
  return head;
}

charts::Chart* PredictorPages::add_chart(const figures::Kind& kind) {
  charts::Chart* chart = kind.make_chart().release();
  connect(chart, &charts::Chart::notified, this, &PredictorPages::notified);
  if (charts_.empty() || charts_.back().first != &kind) charts_.push_back({&kind, {}});
  charts_.back().second.push_back(chart);
  return chart;
}

QWidget* PredictorPages::make_training_page() {
  auto* page = new QSplitter(Qt::Vertical);
  page->setChildrenCollapsible(false);
  page->setAccessibleName(tr("Training"));
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::LearnTraining))
    page->addWidget(add_chart(*kind));
  return page;
}

QWidget* PredictorPages::make_tasks_page() {
  task_charts_ = new charts::Row(tr("Charts of the predictor's tasks"));
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::LearnTasks))
    for (std::size_t place = 0; place < max_predictors; ++place) task_charts_->add_chart(add_chart(*kind));
  measurements_box_ = new QComboBox;
  measurements_box_->setAccessibleName(tr("Predicted measurements"));
  measurements_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  measurements_box_->setMinimumContentsLength(24);
  connect(measurements_box_, &QComboBox::activated, this, [this](int index) {
    measurements_ = measurements_box_->itemData(index).toString();
    update_shown();
  });
  auto* label = new QLabel(tr("Measurements"));
  label->setBuddy(measurements_box_);
  auto* line = new QHBoxLayout;
  line->setSpacing(style::grid_pixels);
  line->addWidget(label);
  line->addWidget(measurements_box_);
  line->addStretch(1);
  table_ = new widgets::LibraryTable(tr("Tasks that it was not trained on"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setModel(&model_);
  table_->stretch_first_column();
  connect(table_, &widgets::LibraryTable::rows_selected, this, &PredictorPages::choose_task);
  auto* below = new QWidget;
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, style::grid_pixels, 0, 0);
  column->setSpacing(style::grid_pixels);
  column->addLayout(line);
  column->addWidget(table_, 1);
  auto* page = new QSplitter(Qt::Vertical);
  page->setChildrenCollapsible(false);
  page->setAccessibleName(tr("Tasks"));
  page->addWidget(task_charts_);
  page->addWidget(below);
  page->setStretchFactor(0, 3);
  page->setStretchFactor(1, 2);
  return page;
}

QWidget* PredictorPages::make_origin_page() {
  origin_ = new QPlainTextEdit;
  origin_->setReadOnly(true);
  origin_->setTabChangesFocus(true);
  origin_->setAccessibleName(tr("Settings and origin"));
  return origin_;
}

void PredictorPages::set_lists(const workspace::LearningListsPointer& lists) {
  lists_ = lists;
  update_shown();
}

void PredictorPages::set_training(const std::optional<workspace::TrainingView>& training, bool waits) {
  const auto concerns = [this](const std::optional<workspace::TrainingView>& view) {
    return view && shown_ &&
           std::ranges::find(shown_->predictors, std::optional(view->id), &study::KnownPredictor::id) !=
               shown_->predictors.end();
  };
  const bool concerned = concerns(training_) || concerns(training) || waits != waits_;
  training_ = training;
  waits_ = waits;
  if (concerned) update_shown();
}

void PredictorPages::open(const QString& key) {
  if (key == key_) return;
  key_ = key;
  measurements_.clear();
  update_shown();
}

void PredictorPages::open_second(const QString& key) {
  if (key == second_key_) return;
  second_key_ = key;
  update_shown();
}

/** Fills the boxes. Two predictors are compared on tasks, so both must have the same template. */
void PredictorPages::fill_boxes() {
  const study::KnownPredictor* first = find_predictor(lists_, key_);
  QStringList texts{tr("none")};
  QStringList keys{QString()};
  for (const study::KnownPredictor& other : lists_->predictors) {
    const QString key = models::predictor_key(other);
    if (key == key_ || other.template_name != first->template_name) continue;
    texts.append(
        QStringLiteral("%1 (%2)").arg(models::predictor_title(other), models::predictor_origin_text(other)));
    keys.append(key);
  }
  if (!keys.contains(second_key_)) second_key_.clear();
  fill_choices(second_box_, texts, keys, second_key_);
  second_box_->setEnabled(keys.size() > 1);
  second_box_->setToolTip(keys.size() > 1 ? QString()
                                          : tr("There is no other predictor of the template %1.")
                                                .arg(QString::fromStdString(first->template_name)));
  QStringList names{tr("its training data")};
  QStringList sources{QString()};
  for (const store::StudySummary& data_set : lists_->data_sets) {
    names.append(QString::fromStdString(data_set.record.name));
    sources.append(QStringLiteral("study %1").arg(data_set.record.id));
  }
  if (!sources.contains(measurements_)) measurements_.clear();
  fill_choices(measurements_box_, names, sources, measurements_);
}

void PredictorPages::update_shown() {
  const study::KnownPredictor* first = find_predictor(lists_, key_);
  if (first == nullptr) {
    shown_.reset();
    return;
  }
  fill_boxes();
  figures::ShownPredictors shown{.predictors = {*first}};
  if (const study::KnownPredictor* second = find_predictor(lists_, second_key_))
    shown.predictors.push_back(*second);
  for (study::KnownPredictor& predictor : shown.predictors)
    if (training_ && predictor.id == training_->id && !training_->epochs.empty())
      predictor.epochs = training_->epochs;
  const bool same = shown_ && std::ranges::equal(shown.predictors, shown_->predictors, same_outcomes);
  if (!same) {
    const QSignalBlocker quiet(table_);
    model_.set_predictors(shown.predictors);
    const int row = model_.row_of(task_);
    if (row < 0) task_.clear();
    if (model_.rowCount() > 0) table_->selectRow(std::max(0, row));
  }
  shown.task = task_;
  shown_ = std::make_shared<const figures::ShownPredictors>(std::move(shown));
  predict();
}

void PredictorPages::choose_task() {
  const std::vector<int> rows = table_->selected_rows();
  const std::string task = rows.empty() ? std::string() : model_.task(rows.front());
  if (task == task_) return;
  task_ = task;
  update_shown();
}

PredictorPages::SamplesChoice PredictorPages::samples_choice() const {
  SamplesChoice choice{.hashes = {}, .task = task_, .measurements = measurements_};
  for (const study::KnownPredictor& predictor : shown_->predictors)
    choice.hashes.push_back(models::predictor_key(predictor) + QString::fromStdString(predictor.hash));
  return choice;
}

/** Predicts the samples unless the shown predictions are already up to date. */
void PredictorPages::predict() {
  const SamplesChoice choice = samples_choice();
  if (choice != predicted_) {
    predicted_ = choice;
    samples_.clear();
    job_.cancel();
    const std::string data_of = choice.hashes.front().toStdString() + measurements_.toStdString();
    if (data_of != data_of_) data_.reset();
    data_of_ = data_of;
    if (!task_.empty()) {
      for (std::size_t i = 0; i < shown_->predictors.size(); ++i)
        samples_.push_back({.samples = {}, .reason = tr("Predicting ...")});
      job_.start(
          [database = workspace_.database(), shown = shown_, measurements = measurements_,
           data = data_](const workspace::JobControl& control) {
            return predict_all(database, *shown, measurements, data, control);
          },
          [this](Predicted predicted) {
            samples_ = std::move(predicted.samples);
            data_ = std::move(predicted.data);
            show_figures();
          });
    }
  }
  show_figures();
}

PredictorPages::Predicted PredictorPages::predict_all(const std::filesystem::path& database,
                                                      const figures::ShownPredictors& shown,
                                                      const QString& measurements,
                                                      std::shared_ptr<const predictor::DataSet> data,
                                                      const workspace::JobControl& control) {
  Predicted predicted{.samples = {}, .data = std::move(data)};
  const auto none = [&](const Error& error) {
    predicted.samples.assign(shown.predictors.size(), no_samples(error));
    return predicted;
  };
  const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!store) return none(store.error());
  if (!predicted.data) {
    Result<std::shared_ptr<const predictor::DataSet>> read =
        read_measurements(*store, shown.predictors.front(), measurements);
    if (!read) return none(read.error());
    predicted.data = std::move(*read);
  }
  for (const study::KnownPredictor& predictor : shown.predictors) {
    if (!control.proceed()) return predicted;
    Result<figures::PredictedSamples> samples = samples_of(*store, predictor, *predicted.data, shown.task);
    predicted.samples.push_back(
        samples
            ? figures::ShownSamples{std::make_shared<const figures::PredictedSamples>(std::move(*samples)),
                                    {}}
            : no_samples(samples.error()));
  }
  return predicted;
}

void PredictorPages::show_figures() {
  const study::KnownPredictor& first = shown_->predictors.front();
  title_->setText(models::predictor_title(first));
  const bool trains = training_ && first.id == training_->id;
  state_->setText(trains   ? models::training_text(*training_)
                  : waits_ ? tr("waits for another training")
                           : models::predictor_state_text(first));
  figures::ShownPredictors shown = *shown_;
  shown.samples = samples_;
  shown_ = std::make_shared<const figures::ShownPredictors>(std::move(shown));
  const figures::Source source{.predictors = shown_};
  for (const auto& [kind, charts] : charts_) {
    const std::vector<figures::Figure> figures = kind->figures(source, figures::uncontrolled_job());
    for (std::size_t place = 0; place < figures.size() && place < charts.size(); ++place)
      figures[place].show_in(*charts[place]);
    if (kind->place == figures::Place::LearnTasks) show_task_charts(charts, figures.size());
  }
  show_origin();
}

/** Shows the charts of the tasks. @param charts of one kind, of which the first `count` have a figure */
void PredictorPages::show_task_charts(const std::vector<charts::Chart*>& charts, std::size_t count) {
  for (std::size_t place = 0; place < charts.size(); ++place) {
    if (place >= count) {
      task_charts_->hide_chart(charts[place]);
      continue;
    }
    const QString title = charts[place]->title();
    // One chart for each predictor.
    task_charts_->show_chart(
        charts[place],
        count > 1 ? tr("%1: %2").arg(title, models::predictor_title(shown_->predictors[place])) : title);
  }
}

void PredictorPages::show_origin() {
  QStringList lines;
  for (const study::KnownPredictor& predictor : shown_->predictors) {
    if (!lines.isEmpty()) lines.append(QString());
    for (const auto& [name, value] : models::predictor_facts(predictor))
      lines.append(QStringLiteral("%1: %2").arg(name, value));
  }
  const QString text = lines.join(QLatin1Char('\n'));
  if (text != origin_->toPlainText()) origin_->setPlainText(text);
}

}  // namespace kernelscape::views
