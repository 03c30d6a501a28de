#include "ui/views/network/network_form.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/session/preparation.h"
#include "ui/files/dialog.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/network/dimension_fields.h"
#include "ui/views/network/network_box.h"
#include "ui/views/network/network_budget_fields.h"
#include "ui/views/runs/form_section.h"
#include "ui/views/runs/measuring_fields.h"
#include "ui/views/runs/target_box.h"
#include "ui/views/runs/tuner_fields.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/form_scroll_area.h"

namespace kernelscape::views {
namespace {

constexpr int read_delay_milliseconds = 300;
constexpr int network_check_delay_milliseconds = 120;
constexpr int network_form_width = 272;

/** Returns "18 layers, 26 calls, 0.7 GFLOP". */
QString summary_of(const task::WholeNetwork& network) {
  std::int64_t calls = 0;
  for (const task::WholeLayer& layer : network.layers) calls += layer.multiplicity;
  return NetworkForm::tr("%1\n%2 layers, %3 calls, %4")
      .arg(QString::fromStdString(network.description), style::format_count(std::ssize(network.layers)),
           style::format_count(calls), style::format_quantity(network.flops(), QStringLiteral("FLOP")));
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
  QTimer::singleShot(0, name_, &NetworkBox::load_catalogue);
}

NetworkForm::~NetworkForm() {
  if (reading_) reading_->trigger();
}

void NetworkForm::make_network_group(QVBoxLayout& column) {
  auto* section = new FormSection(tr("Network"), true, this);
  name_ = new NetworkBox(this);
  auto* open = new QPushButton(tr("Open a model..."), this);
  open->setToolTip(tr("An ONNX model or a saved network; it can be dropped on the window as well"));
  network_text_ = widgets::make_note(this);
  network_note_ = widgets::make_note(this, &style::Colours::warning);
  network_text_->hide();
  network_note_->hide();
  dimensions_ = new DimensionFields(this);
  QFormLayout& rows = section->form();
  rows.addRow(tr("Network"), name_);
  rows.addRow(open);
  rows.addRow(network_text_);
  rows.addRow(network_note_);
  rows.addRow(dimensions_);
  make_target_rows(rows);
  column.addWidget(section);
  connect(name_, &QComboBox::editTextChanged, this, &NetworkForm::take_edited_network);
  connect(name_, &NetworkBox::catalogue_loaded, this, &NetworkForm::read);
  connect(dimensions_, &DimensionFields::changed, this, &NetworkForm::schedule_reading);
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
  errors_.add_row(rows, this, &NetworkCheck::target_error);
  rows.addRow(tr("Template"), template_);
  errors_.add_row(rows, this, &NetworkCheck::template_error);
  connect(target_, &QComboBox::currentIndexChanged, this, [this] {
    const std::string target = target_->target();
    measuring_->set_target({.of_gpu = target != "cpu"});
    schedule_check();
  });
  connect(template_, &QComboBox::activated, this, &NetworkForm::schedule_check);
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
  budget_ = new NetworkBudgetFields(section->form(), this);
  column.addWidget(section);
  connect(budget_, &NetworkBudgetFields::changed, this, &NetworkForm::schedule_check);
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

NetworkSetup NetworkForm::setup() const {
  NetworkSetup setup;
  setup.network = name_->network().toStdString();
  setup.dimensions = dimensions_->given();
  study::NetworkRequest& request = setup.request;
  request.network = setup.network;
  request.target = target_->target();
  if (template_->currentIndex() > 0) request.template_name = template_->currentText().toStdString();
  request.tuner = tuner_->tuner();
  request.settings = tuner_->settings();
  budget_->write(setup);
  measuring_->write(request.measuring);
  return setup;
}

void NetworkForm::set_network(const QString& name_or_file) {
  name_->set_network(name_or_file);
  take_edited_network();
  read();
}

const QStringList& NetworkForm::recent() const { return name_->recent(); }

void NetworkForm::set_recent(const QStringList& files) { name_->set_recent(files); }

void NetworkForm::prefer_threads(int threads) {
  trial::MeasureOptions options;
  measuring_->write(options);
  options.threads = threads;
  measuring_->read(options);
}

void NetworkForm::focus_network() { name_->focus(); }

void NetworkForm::choose_file() {
  QFileDialog* dialog = files::make_file_dialog(
      this, tr("Open a network"), {}, tr("ONNX models and saved networks (*.onnx *.json);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &NetworkForm::set_network);
  dialog->open();
}

void NetworkForm::take_edited_network() {
  if (name_->network() != shown_network_) dimensions_->clear();
  shown_network_ = name_->network();
  schedule_reading();
  emit network_chosen();
}

void NetworkForm::schedule_reading() {
  read_ = false;
  checked_ = false;
  read_timer_.start();
  show_problem();
}

void NetworkForm::read() {
  read_timer_.stop();
  read_ = false;
  checked_ = false;
  if (reading_) reading_->trigger();
  reading_ = std::make_shared<measure::InterruptionSwitch>();
  const std::string network = name_->network().toStdString();
  if (network.empty()) return show_reading({nullptr, {ErrorCode::InvalidArgument, "", ""}});
  show_problem();
  // Not a background job that pauses while kernels are timed, because the user is waiting for it.
  read_job_.start(
      [network, dimensions = dimensions_->given(), ends = reading_](const workspace::JobControl&) {
        return read_network(network, dimensions, ends->interruption());
      },
      [this](const NetworkReading& reading) { show_reading(reading); });
}

void NetworkForm::show_reading(const NetworkReading& reading) {
  read_ = true;
  network_ = reading.network;
  network_error_.reset();
  check_ = {};
  QString note;
  QString text;
  if (network_) {
    text = summary_of(*network_);
    name_->remember();
  } else {
    network_error_ = reading.error;
    const std::vector<OpenDimension> open = open_dimensions(reading.error);
    dimensions_->add(open);
    note = !open.empty() ? tr("The model leaves open the lengths of these dimensions: enter them here.")
           : reading.error.message.empty() ? QString()
                                           : error_text(reading.error);
  }
  network_text_->setText(text);
  network_text_->setVisible(!text.isEmpty());
  network_note_->setText(note);
  network_note_->setVisible(!note.isEmpty());
  if (network_) return run_check();
  checked_ = true;
  show_problem();
  emit changed();
}

void NetworkForm::schedule_check() {
  checked_ = false;
  check_timer_.start();
  show_problem();
}

void NetworkForm::run_check() {
  check_timer_.stop();
  if (!network_) return;
  checked_ = false;
  check_job_.start(
      [setup = setup(), network = network_, devices = workspace_.devices().survey()](
          const workspace::JobControl&) { return check_network(setup, *network, devices.get()); },
      [this](const NetworkCheck& check) { show_check(check); });
}

void NetworkForm::show_check(const NetworkCheck& check) {
  check_ = check;
  checked_ = true;
  show_templates();
  show_problem();
  emit changed();
}

/** Shows the templates that fit at least one layer; the user's choice stays if it still fits. */
void NetworkForm::show_templates() {
  if (check_.target_error) return;
  const QString chosen = template_->currentIndex() > 0 ? template_->currentText() : QString();
  const QSignalBlocker quiet(template_);
  while (template_->count() > 1) template_->removeItem(1);
  for (const std::string& name : check_.templates) template_->addItem(QString::fromStdString(name));
  const int place = chosen.isEmpty() ? 0 : template_->findText(chosen);
  template_->setCurrentIndex(std::max(0, place));
  if (place < 0) schedule_check();
}

void NetworkForm::show_devices() {
  target_->set_devices(workspace_.devices().survey(), workspace_.devices().looking());
  if (!workspace_.devices().looking()) schedule_check();
}

QString NetworkForm::target_problem() const {
  return target_->without_device()
             ? tr("The kernels of a network are measured: choose a device that can run them.")
             : QString();
}

QString NetworkForm::problem() const {
  if (name_->network().isEmpty()) return tr("Name a network of the catalogue, or open an ONNX model.");
  if (const QString wrong = tuner_->problem(); !wrong.isEmpty()) return wrong;
  if (const QString wrong = budget_->problem(); !wrong.isEmpty()) return wrong;
  if (const QString wrong = target_problem(); !wrong.isEmpty()) return wrong;
  if (!read_) return tr("Reading the network…");
  if (network_error_) return network_note_->text();
  if (!checked_) return tr("Looking up its layers…");
  if (const Error* error = check_.problem()) return error_text(*error);
  return {};
}

QString NetworkForm::warning() const {
  return check_.study ? budget_warning(setup(), std::ssize(check_.study->tasks)) : QString();
}

void NetworkForm::show_problem() {
  const QString text = problem();
  const QString seen = errors_.show(checked_ ? &check_ : nullptr, *this);
  const bool reported =
      (read_ && network_error_ && text == network_note_->text()) || (!seen.isEmpty() && text == seen);
  budget_->show_warning(warning());
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty() && !reported && read_ && checked_);
  start_->setEnabled(text.isEmpty());
  start_->setToolTip(text.isEmpty() ? tr("Store the study and run it") : text);
  emit problem_changed();
}

}  // namespace kernelscape::views
