#include "ui/views/network/network_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "core/session/preparation.h"
#include "core/task/catalogue.h"
#include "ui/files/dialog.h"
#include "ui/style/numbers.h"
#include "ui/views/runs/measuring_fields.h"
#include "ui/views/runs/target_box.h"
#include "ui/views/runs/tuner_fields.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr qsizetype most_recent_networks = 8;

QString text_of_error(const Error& error) {
  QString text = QString::fromStdString(error.message);
  if (!error.hint.empty()) text += QStringLiteral(": ") + QString::fromStdString(error.hint);
  return text;
}

/** Returns "18 layers, 26 calls, 0.7 GFLOP". */
QString summary_of(const task::WholeNetwork& network) {
  std::int64_t calls = 0;
  for (const task::WholeLayer& layer : network.layers) calls += layer.multiplicity;
  return NetworkForm::tr("%1\n%2 layers, %3 calls, %4")
      .arg(QString::fromStdString(network.description), style::format_count(std::ssize(network.layers)),
           style::format_count(calls), style::format_quantity(network.flops(), QStringLiteral("FLOP")));
}

}  // namespace

NetworkForm::~NetworkForm() {
  if (reading_) reading_->trigger();
}

NetworkSetup NetworkForm::setup() const {
  NetworkSetup setup;
  setup.network = name_->currentText().trimmed().toStdString();
  setup.dimensions = dimensions();
  study::NetworkRequest& request = setup.request;
  request.network = setup.network;
  request.target = target_->target();
  if (template_->currentIndex() > 0) request.template_name = template_->currentText().toStdString();
  request.tuner = tuner_->tuner();
  request.settings = tuner_->settings();
  request.scheduler = scheduler_->currentData().toString().toStdString();
  request.budget = {.trials = trials_->value(), .minutes = minutes_->value()};
  request.budget.patience = patience_->value();
  request.name = study_name_->text().trimmed().toStdString();
  measuring_->write(request.measuring);
  bool is_number = false;
  const qulonglong seed = seed_->text().trimmed().toULongLong(&is_number);
  if (is_number) setup.seed = seed;
  return setup;
}

void NetworkForm::set_network(const QString& name_or_file) {
  {
    const QSignalBlocker quiet(name_);
    name_->setEditText(name_or_file);
  }
  take_edited_network();
  read();
}

void NetworkForm::set_recent(const QStringList& files) {
  recent_ = files.mid(0, most_recent_networks);
  fill_networks();
}

void NetworkForm::prefer_threads(int threads) {
  trial::MeasureOptions options;
  measuring_->write(options);
  options.threads = threads;
  measuring_->read(options);
}

void NetworkForm::focus_network() {
  name_->setFocus(Qt::ShortcutFocusReason);
  name_->lineEdit()->selectAll();
}

void NetworkForm::choose_file() {
  QFileDialog* dialog = files::make_file_dialog(
      this, tr("Open a network"), {}, tr("ONNX models and saved networks (*.onnx *.json);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &NetworkForm::set_network);
  dialog->open();
}

void NetworkForm::load_catalogue() {
  catalogue_job_.start(
      [](const workspace::JobControl&) {
        QStringList names;
        const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
        if (catalogue)
          for (const task::Network& network : catalogue->networks())
            names.append(QString::fromStdString(network.name));
        return names;
      },
      [this](const QStringList& names) {
        catalogue_ = names;
        fill_networks();
        read();
      });
}

/** Fills the list of networks; the typed text stays. */
void NetworkForm::fill_networks() {
  const QSignalBlocker quiet(name_);
  const QString typed = name_->currentText();
  name_->clear();
  name_->addItems(recent_);
  if (!recent_.isEmpty() && !catalogue_.isEmpty()) name_->insertSeparator(name_->count());
  name_->addItems(catalogue_);
  name_->setCurrentIndex(-1);
  name_->setEditText(typed);
}

void NetworkForm::take_edited_network() {
  if (name_->currentText().trimmed() != shown_network_) forget_dimensions();
  shown_network_ = name_->currentText().trimmed();
  schedule_reading();
  emit network_chosen();
}

void NetworkForm::forget_dimensions() {
  for (const DimensionField& field : dimensions_) dimension_form_->removeRow(field.length);
  dimensions_.clear();
  dimension_rows_->hide();
}

/**
 * Adds fields for dimensions. Fields of dimensions that are given already stay, so that they can be changed.
 */
void NetworkForm::add_dimensions(const std::vector<OpenDimension>& open) {
  for (const OpenDimension& dimension : open) {
    if (std::ranges::find(dimensions_, dimension.name, &DimensionField::name) != dimensions_.end()) continue;
    const QString name = QString::fromStdString(dimension.name);
    QSpinBox* length = widgets::make_count(
        dimension_rows_,
        tr("Length of %1, a dimension of the input %2").arg(name, QString::fromStdString(dimension.input)), 0,
        0, tr("how long?"));
    length->setToolTip(length->accessibleName());
    dimension_form_->addRow(name, length);
    dimensions_.push_back({dimension.name, length});
    connect(length, &QSpinBox::valueChanged, this, &NetworkForm::schedule_reading);
  }
  dimension_rows_->setVisible(!dimensions_.empty());
}

std::vector<measure::ModelDimension> NetworkForm::dimensions() const {
  std::vector<measure::ModelDimension> given;
  for (const DimensionField& field : dimensions_)
    if (field.length->value() > 0) given.push_back({field.name, field.length->value()});
  return given;
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
  const std::string network = name_->currentText().trimmed().toStdString();
  if (network.empty()) return show_reading({nullptr, {ErrorCode::InvalidArgument, "", ""}});
  show_problem();
  // Not a background job that pauses while kernels are timed, because the user is waiting for it.
  read_job_.start(
      [network, dimensions = dimensions(), ends = reading_](const workspace::JobControl&) {
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
    remember_file();
  } else {
    network_error_ = reading.error;
    const std::vector<OpenDimension> open = open_dimensions(reading.error);
    add_dimensions(open);
    note = !open.empty() ? tr("The model leaves open the lengths of these dimensions: enter them here.")
           : reading.error.message.empty() ? QString()
                                           : text_of_error(reading.error);
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

void NetworkForm::remember_file() {
  const QString name = name_->currentText().trimmed();
  const QFileInfo file(name);
  if (catalogue_.contains(name) || !file.isFile()) return;
  QStringList files = recent_;
  files.removeAll(file.absoluteFilePath());
  files.prepend(file.absoluteFilePath());
  set_recent(files);
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
  if (name_->currentText().trimmed().isEmpty())
    return tr("Name a network of the catalogue, or open an ONNX model.");
  if (const QString wrong = tuner_->problem(); !wrong.isEmpty()) return wrong;
  const QString seed = seed_->text().trimmed();
  bool is_number = false;
  seed.toULongLong(&is_number);
  if (!seed.isEmpty() && !is_number)
    return tr("The seed \"%1\" is not a whole number from 0 to 2^64 - 1.").arg(seed);
  if (trials_->value() == 0 && minutes_->value() == 0)
    return tr("Give the network a budget: trials, minutes, or both.");
  if (const QString wrong = target_problem(); !wrong.isEmpty()) return wrong;
  if (!read_) return tr("Reading the network…");
  if (network_error_) return network_note_->text();
  if (!checked_) return tr("Looking up its layers…");
  if (const Error* error = check_.problem()) return text_of_error(*error);
  return {};
}

QString NetworkForm::warning() const {
  return check_.study ? budget_warning(setup(), std::ssize(check_.study->tasks)) : QString();
}

void NetworkForm::show_problem() {
  const QString text = problem();
  const Error* first = checked_ ? check_.problem() : nullptr;
  bool reported = read_ && network_error_ && text == network_note_->text();
  for (const Complaint& complaint : complaints_) {
    const std::optional<Error>& error = check_.*complaint.error;
    const bool shown = error && first == &*error;
    complaint.note->setText(shown ? text_of_error(*error) : QString());
    complaint.note->setVisible(shown);
    reported = reported || (shown && text == complaint.note->text() && complaint.note->isVisibleTo(this));
  }
  const QString note = warning();
  budget_note_->setText(note);
  budget_note_->setVisible(!note.isEmpty());
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty() && !reported && read_ && checked_);
  start_->setEnabled(text.isEmpty());
  start_->setToolTip(text.isEmpty() ? tr("Store the study and run it") : text);
  emit problem_changed();
}

}  // namespace kernelscape::views
