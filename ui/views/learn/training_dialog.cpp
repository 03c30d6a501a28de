#include "ui/views/learn/training_dialog.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <set>

#include "core/predictor/training.h"
#include "core/schedule/template.h"
#include "ui/models/study_model.h"
#include "ui/style/theme.h"
#include "ui/widgets/hyperparameter_form.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::views {
namespace {

constexpr std::string_view settings_owner = "training";
const std::string model_setting = "model";

}  // namespace

TrainingDialog::TrainingDialog(workspace::Workspace& workspace, QWidget* parent)
    : widgets::RequestDialog(tr("Train a predictor"), parent),
      workspace_(workspace),
      name_(new QLineEdit),
      data_sets_(new QListWidget),
      others_(new QLineEdit),
      template_(new QComboBox),
      settings_(new widgets::HyperparameterForm) {
  data_sets_->setAccessibleName(tr("Data sets to train on"));
  others_->setAccessibleName(tr("Other measurements"));
  others_->setPlaceholderText(tr("session 5, recorded:FILE"));
  name_->setAccessibleName(tr("Name"));
  name_->setPlaceholderText(tr("made from template and ISA"));
  template_->setAccessibleName(tr("Template"));
  template_->addItem(tr("template of the data"), QString());
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
    template_->addItem(QString::fromStdString(declaration.name), QString::fromStdString(declaration.name));
  for (const char* operation : {"conv1d", "conv2d", "conv3d", "matmul", "bmm"})
    template_->addItem(tr("all templates of %1").arg(QLatin1String(operation)), QLatin1String(operation));
  settings_->set_declarations(std::string(settings_owner),
                              tuner::settings_of<predictor::TrainingSettings>().declarations());
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(make_form(), 1);
  layout->addWidget(&message_line());
  layout->addLayout(make_buttons({}));
  set_usual_size({90 * style::grid_pixels, 75 * style::grid_pixels});
  connect(settings_, &widgets::HyperparameterForm::changed, this, [this] {
    show_model_defaults();
    check();
  });
  listen_to(workspace_.training_runner());
  check();
}

QLayout* TrainingDialog::make_form() {
  auto* left = new QFormLayout;
  left->addRow(tr("Data sets"), data_sets_);
  left->addRow(tr("Other data"), others_);
  left->addRow(tr("Template"), template_);
  left->addRow(tr("Name"), name_);
  left->addRow(tr("Seed"), &seed_line());
  auto* scroll = new QScrollArea;
  scroll->setWidget(settings_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAccessibleName(tr("Settings of the training"));
  auto* form = new QHBoxLayout;
  form->setSpacing(2 * style::grid_pixels);
  form->addLayout(left, 1);
  form->addWidget(scroll, 1);
  connect(data_sets_, &QListWidget::itemChanged, this, &TrainingDialog::check);
  for (const QLineEdit* line : {others_, name_, &seed_line()})
    connect(line, &QLineEdit::textChanged, this, &TrainingDialog::check);
  connect(template_, &QComboBox::currentIndexChanged, this, &TrainingDialog::check);
  return form;
}

/** Sets the lists. Progress updates of data sets must not change the list's scroll position. */
void TrainingDialog::set_lists(const workspace::LearningListsPointer& lists) {
  const QSignalBlocker quiet(data_sets_);
  const auto id_of = [this](int row) { return data_sets_->item(row)->data(Qt::UserRole).toLongLong(); };
  bool same = data_sets_->count() == static_cast<int>(lists->data_sets.size());
  for (int row = 0; same && row < data_sets_->count(); ++row)
    same = id_of(row) == lists->data_sets[static_cast<std::size_t>(row)].record.id;
  std::set<qint64> checked;
  for (int row = 0; row < data_sets_->count(); ++row)
    if (data_sets_->item(row)->checkState() == Qt::Checked) checked.insert(id_of(row));
  if (!same) data_sets_->clear();
  int row = 0;
  for (const store::StudySummary& data_set : lists->data_sets) {
    if (!same) data_sets_->addItem(QString());
    QListWidgetItem* item = data_sets_->item(row++);
    item->setText(QStringLiteral("%1 (%2)").arg(QString::fromStdString(data_set.record.name),
                                                models::study_progress_text(data_set)));
    item->setData(Qt::UserRole, qint64{data_set.record.id});
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(checked.contains(data_set.record.id) ? Qt::Checked : Qt::Unchecked);
  }
  check();
}

void TrainingDialog::choose(store::StudyId data_set) {
  for (int row = 0; row < data_sets_->count(); ++row) {
    QListWidgetItem* item = data_sets_->item(row);
    item->setCheckState(item->data(Qt::UserRole).toLongLong() == data_set ? Qt::Checked : Qt::Unchecked);
  }
}

Result<study::TrainingRequest> TrainingDialog::request() const {
  study::TrainingRequest request;
  request.name = name_->text().trimmed().toStdString();
  request.template_name = template_->currentData().toString().toStdString();
  for (int row = 0; row < data_sets_->count(); ++row)
    if (data_sets_->item(row)->checkState() == Qt::Checked)
      request.sources.push_back("study " +
                                std::to_string(data_sets_->item(row)->data(Qt::UserRole).toLongLong()));
  for (const QString& text : others_->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
    if (const QString trimmed = text.trimmed(); !trimmed.isEmpty())
      request.sources.push_back(trimmed.toStdString());
  if (request.sources.empty())
    return fail(ErrorCode::InvalidArgument, "no measurements are chosen",
                "check a data set, or name sessions or recorded spaces");
  request.settings = settings_->settings();
  TRY(predictor::parse_training_settings(request.settings));
  request.seed = TRY(seed());
  return request;
}

/** Shows the defaults of the chosen model in the fields that the user did not change. */
void TrainingDialog::show_model_defaults() {
  const std::map<std::string, std::string> settings = settings_->settings();
  const auto chosen = settings.find(model_setting);
  const std::string model = chosen == settings.end() ? std::string() : chosen->second;
  if (model == model_) return;
  model_ = model;
  const Result<predictor::TrainingSettings> changed = predictor::parse_training_settings(
      chosen == settings.end() ? std::map<std::string, std::string>()
                               : std::map<std::string, std::string>{*chosen});
  if (!changed) return;
  tuner::SettingValues defaults = tuner::settings_of<predictor::TrainingSettings>().values_of(*changed);
  // The model itself is one of the choices.
  defaults.erase(model_setting);
  settings_->set_defaults(defaults);
}

void TrainingDialog::check() {
  const Result<study::TrainingRequest> checked = request();
  const QString problem = settings_->problem();
  start_button().setEnabled(checked.has_value() && problem.isEmpty() && !awaiting());
  if (!problem.isEmpty()) return show_problem(problem);
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  notify(awaiting() ? tr("Reading the measurements ...")
                    : tr("Whole tasks are held out to evaluate the predictor."),
         &style::Colours::muted_text);
}

void TrainingDialog::start() {
  Result<study::TrainingRequest> checked = request();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  await(workspace_.training_runner().start(std::move(*checked)));
  check();
}

}  // namespace kernelscape::views
