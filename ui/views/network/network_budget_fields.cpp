#include "ui/views/network/network_budget_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "core/study/layer_scheduler.h"
#include "ui/views/network/network_setup.h"
#include "ui/views/runs/form_section.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr int usual_network_trials = 1000;

QString scheduler_help(const QString& scheduler) {
  if (scheduler == QLatin1String("gradient"))
    return NetworkBudgetFields::tr(
        "One budget: the next trials go to the layer with the largest expected gain in the network's time.");
  if (scheduler == QLatin1String("round-robin"))
    return NetworkBudgetFields::tr("One budget: each layer gets its trials in turn.");
  if (scheduler == QLatin1String("proportional"))
    return NetworkBudgetFields::tr("One budget: each layer gets trials by its share of the network's FLOPs.");
  return NetworkBudgetFields::tr("Each layer has the whole budget for itself, one after the other.");
}

}  // namespace

NetworkBudgetFields::NetworkBudgetFields(QFormLayout& rows, QWidget* parent) : QObject(parent) {
  add_scheduler(rows, parent);
  add_budget(rows, parent);
  add_more(rows, parent);
}

void NetworkBudgetFields::add_scheduler(QFormLayout& rows, QWidget* parent) {
  scheduler_ = new QComboBox(parent);
  scheduler_->setAccessibleName(tr("Scheduler: which layer gets the next trials"));
  scheduler_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const std::string& name : study::layer_scheduler_names()) {
    const QString text = QString::fromStdString(name);
    scheduler_->addItem(text, text);
  }
  scheduler_->addItem(tr("each layer by itself"), QString());
  QLabel* help = widgets::make_note(parent);
  rows.addRow(tr("Scheduler"), scheduler_);
  rows.addRow(help);
  const auto show_help = [this, help] {
    help->setText(scheduler_help(scheduler_->currentData().toString()));
  };
  show_help();
  connect(scheduler_, &QComboBox::currentIndexChanged, this, show_help);
  connect(scheduler_, &QComboBox::currentIndexChanged, this, &NetworkBudgetFields::changed);
}

void NetworkBudgetFields::add_budget(QFormLayout& rows, QWidget* parent) {
  trials_ = widgets::make_count(parent, tr("Trials"), 0, usual_network_trials, tr("no limit"));
  minutes_ = widgets::make_amount(parent, tr("Minutes"), 1e6, 0, tr("min"), tr("no limit"));
  warning_ = widgets::make_note(parent, &style::Colours::warning);
  warning_->hide();
  rows.addRow(tr("Trials"), trials_);
  rows.addRow(tr("Time"), minutes_);
  rows.addRow(warning_);
  connect(trials_, &QSpinBox::valueChanged, this, &NetworkBudgetFields::changed);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &NetworkBudgetFields::changed);
}

void NetworkBudgetFields::add_more(QFormLayout& rows, QWidget* parent) {
  auto* more = new FormSection(tr("More"), false, parent);
  patience_ = widgets::make_count(parent, tr("Patience: trials of a layer without an improvement"), 0, 0,
                                  tr("no limit"));
  seed_ = new QLineEdit(parent);
  seed_->setPlaceholderText(tr("drawn and stored"));
  seed_->setAccessibleName(tr("Seed"));
  name_ = new QLineEdit(parent);
  name_->setPlaceholderText(tr("made from network and tuner"));
  name_->setAccessibleName(tr("Name of the study"));
  more->form().addRow(tr("Patience"), patience_);
  more->form().addRow(tr("Seed"), seed_);
  more->form().addRow(tr("Name"), name_);
  rows.addRow(more);
  connect(patience_, &QSpinBox::valueChanged, this, &NetworkBudgetFields::changed);
  for (const QLineEdit* line : {seed_, name_})
    connect(line, &QLineEdit::textChanged, this, &NetworkBudgetFields::changed);
}

void NetworkBudgetFields::write(NetworkSetup& setup) const {
  study::NetworkRequest& request = setup.request;
  request.scheduler = scheduler_->currentData().toString().toStdString();
  request.budget = {.trials = trials_->value(), .minutes = minutes_->value()};
  request.budget.patience = patience_->value();
  request.name = name_->text().trimmed().toStdString();
  bool is_number = false;
  const qulonglong seed = seed_->text().trimmed().toULongLong(&is_number);
  if (is_number) setup.seed = seed;
}

QString NetworkBudgetFields::problem() const {
  const QString seed = seed_->text().trimmed();
  bool is_number = false;
  seed.toULongLong(&is_number);
  if (!seed.isEmpty() && !is_number)
    return tr("The seed \"%1\" is not a whole number from 0 to 2^64 - 1.").arg(seed);
  if (trials_->value() == 0 && minutes_->value() == 0)
    return tr("Give the network a budget: trials, minutes, or both.");
  return {};
}

void NetworkBudgetFields::show_warning(const QString& text) {
  warning_->setText(text);
  warning_->setVisible(!text.isEmpty());
}

}  // namespace kernelscape::views
