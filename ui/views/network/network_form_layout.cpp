#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/study/layer_scheduler.h"
#include "ui/style/icons.h"
#include "ui/views/network/network_form.h"
#include "ui/views/runs/form_section.h"
#include "ui/views/runs/measuring_fields.h"
#include "ui/views/runs/target_box.h"
#include "ui/views/runs/tuner_fields.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/form_scroll_area.h"

// Builds the fields of the network form.

namespace kernelscape::views {
namespace {

constexpr int read_delay_milliseconds = 300;
constexpr int network_check_delay_milliseconds = 120;
constexpr int network_form_width = 272;
constexpr int usual_network_trials = 1000;

QString scheduler_help(const QString& scheduler) {
  if (scheduler == QLatin1String("gradient"))
    return NetworkForm::tr(
        "One budget: the next trials go to the layer with the largest expected gain in the network's time.");
  if (scheduler == QLatin1String("round-robin"))
    return NetworkForm::tr("One budget: each layer gets its trials in turn.");
  if (scheduler == QLatin1String("proportional"))
    return NetworkForm::tr("One budget: each layer gets trials by its share of the network's FLOPs.");
  return NetworkForm::tr("Each layer has the whole budget for itself, one after the other.");
}

}  // namespace

NetworkForm::NetworkForm(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new widgets::FormScrollArea(network_form_width, this);
  scroll->setAccessibleName(tr("Set-up of a network"));
  auto* content = new QWidget(scroll);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(8);
  make_network_group(*column);
  make_tuner_group(*column);
  make_budget_group(*column);
  auto* measuring = new FormSection(tr("Measuring"), false, this);
  measuring_ = new MeasuringFields(measuring->form(), this);
  measuring_->set_target({});
  column->addWidget(measuring);
  column->addStretch(1);
  scroll->setWidget(content);
  outer->addWidget(scroll, 1);
  make_buttons(*outer);
  connect(measuring_, &MeasuringFields::changed, this, &NetworkForm::schedule_check);
  for (QTimer* timer : {&read_timer_, &check_timer_}) timer->setSingleShot(true);
  read_timer_.setInterval(read_delay_milliseconds);
  check_timer_.setInterval(network_check_delay_milliseconds);
  connect(&read_timer_, &QTimer::timeout, this, &NetworkForm::read);
  connect(&check_timer_, &QTimer::timeout, this, &NetworkForm::run_check);
  connect(&workspace_.devices(), &workspace::Devices::changed, this, &NetworkForm::show_devices);
  connect(&workspace_.fleet_watch(), &workspace::FleetWatch::changed, this,
          [this] { target_->set_fleet(workspace_.fleet_watch().state()); });
  target_->set_fleet(workspace_.fleet_watch().state());
  show_devices();
  show_problem();
  // After the first paint, so that the window accepts typing before anything was looked up.
  QTimer::singleShot(0, this, &NetworkForm::load_catalogue);
}

void NetworkForm::make_network_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Network"), true, this);
  name_ = new QComboBox(this);
  name_->setEditable(true);
  name_->setInsertPolicy(QComboBox::NoInsert);
  name_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  name_->setMinimumContentsLength(14);
  name_->setAccessibleName(tr("Network: a name of the catalogue, an ONNX model, or a saved network"));
  name_->setToolTip(name_->accessibleName());
  name_->completer()->setFilterMode(Qt::MatchContains);
  name_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  name_->lineEdit()->setPlaceholderText(tr("resnet-18, or a file"));
  auto* open = new QPushButton(tr("Open a model..."), this);
  open->setToolTip(tr("An ONNX model or a saved network; it can be dropped on the window as well"));
  network_text_ = widgets::make_note(this);
  network_note_ = widgets::make_note(this, &style::Colours::warning);
  network_text_->hide();
  network_note_->hide();
  dimension_rows_ = new QWidget(this);
  dimension_form_ = new QFormLayout(dimension_rows_);
  dimension_form_->setContentsMargins(0, 0, 0, 0);
  dimension_form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  dimension_rows_->hide();
  QFormLayout& rows = section->form();
  rows.addRow(tr("Network"), name_);
  rows.addRow(open);
  rows.addRow(network_text_);
  rows.addRow(network_note_);
  rows.addRow(dimension_rows_);
  make_target_rows(rows);
  column.addWidget(section);
  connect(name_, &QComboBox::editTextChanged, this, &NetworkForm::take_edited_network);
  connect(open, &QPushButton::clicked, this, &NetworkForm::choose_file);
}

void NetworkForm::make_target_rows(QFormLayout& rows) {
  target_ = new TargetBox(this);
  template_ = new QComboBox(this);
  template_->setAccessibleName(tr("Template"));
  template_->setToolTip(
      tr("The first template that fits each layer, or one template for all layers that it fits"));
  template_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  template_->addItem(tr("the first that fits"));
  rows.addRow(tr("Target"), target_);
  complain_below(rows, &NetworkCheck::target_error);
  rows.addRow(tr("Template"), template_);
  complain_below(rows, &NetworkCheck::template_error);
  connect(target_, &QComboBox::currentIndexChanged, this, [this] {
    const std::string target = target_->target();
    measuring_->set_target({.of_gpu = target != "cpu"});
    schedule_check();
  });
  connect(template_, &QComboBox::activated, this, &NetworkForm::schedule_check);
}

void NetworkForm::complain_below(QFormLayout& rows, std::optional<Error> NetworkCheck::* error) {
  QLabel* note = widgets::make_note(this, &style::Colours::warning);
  note->hide();
  rows.addRow(note);
  complaints_.push_back({note, error});
}

void NetworkForm::make_tuner_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Tuner"), true, this);
  tuner_ = new TunerFields(section->form(), this);
  tuner_->add_settings(section->form());
  column.addWidget(section);
  connect(tuner_, &TunerFields::tuner_changed, this, &NetworkForm::schedule_check);
  connect(tuner_, &TunerFields::settings_changed, this, &NetworkForm::schedule_check);
}

void NetworkForm::make_budget_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Budget"), true, this);
  scheduler_ = new QComboBox(this);
  scheduler_->setAccessibleName(tr("Scheduler: which layer gets the next trials"));
  scheduler_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const std::string& name : study::layer_scheduler_names()) {
    const QString text = QString::fromStdString(name);
    scheduler_->addItem(text, text);
  }
  scheduler_->addItem(tr("each layer by itself"), QString());
  scheduler_text_ = widgets::make_note(this);
  trials_ = widgets::make_count(this, tr("Trials"), 0, usual_network_trials, tr("no limit"));
  minutes_ = widgets::make_amount(this, tr("Minutes"), 1e6, 0, tr("min"), tr("no limit"));
  budget_note_ = widgets::make_note(this, &style::Colours::warning);
  budget_note_->hide();
  auto* more = new FormSection(tr("More"), false, this);
  patience_ = widgets::make_count(this, tr("Patience: trials of a layer without an improvement"), 0, 0,
                                  tr("no limit"));
  seed_ = new QLineEdit(this);
  seed_->setPlaceholderText(tr("drawn and stored"));
  seed_->setAccessibleName(tr("Seed"));
  study_name_ = new QLineEdit(this);
  study_name_->setPlaceholderText(tr("made from network and tuner"));
  study_name_->setAccessibleName(tr("Name of the study"));
  QFormLayout& rows = section->form();
  rows.addRow(tr("Scheduler"), scheduler_);
  rows.addRow(scheduler_text_);
  rows.addRow(tr("Trials"), trials_);
  rows.addRow(tr("Time"), minutes_);
  rows.addRow(budget_note_);
  more->form().addRow(tr("Patience"), patience_);
  more->form().addRow(tr("Seed"), seed_);
  more->form().addRow(tr("Name"), study_name_);
  rows.addRow(more);
  column.addWidget(section);
  const auto show_help = [this] {
    scheduler_text_->setText(scheduler_help(scheduler_->currentData().toString()));
  };
  show_help();
  connect(scheduler_, &QComboBox::currentIndexChanged, this, show_help);
  connect(scheduler_, &QComboBox::currentIndexChanged, this, &NetworkForm::schedule_check);
  for (const QSpinBox* box : {trials_, patience_})
    connect(box, &QSpinBox::valueChanged, this, &NetworkForm::schedule_check);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &NetworkForm::schedule_check);
  for (const QLineEdit* line : {seed_, study_name_})
    connect(line, &QLineEdit::textChanged, this, &NetworkForm::schedule_check);
}

void NetworkForm::make_buttons(QVBoxLayout& column) {
  problem_ = widgets::make_note(this, &style::Colours::warning);
  problem_->setContentsMargins(8, 0, 8, 0);
  problem_->hide();
  start_ = new QPushButton(style::icon(QStringLiteral("start")), tr("Start"), this);
  start_->setAccessibleName(tr("Start tuning the network"));
  auto* copy = new QToolButton(this);
  copy->setIcon(style::icon(QStringLiteral("copy")));
  copy->setToolTip(tr("Copy the set-up as a command line"));
  copy->setAccessibleName(copy->toolTip());
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 8);
  row->addWidget(start_, 1);
  row->addWidget(copy);
  column.addWidget(problem_);
  column.addLayout(row);
  connect(start_, &QPushButton::clicked, this, &NetworkForm::start_requested);
  connect(copy, &QToolButton::clicked, this, &NetworkForm::copy_requested);
}

}  // namespace kernelscape::views
