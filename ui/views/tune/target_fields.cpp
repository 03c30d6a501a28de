#include "ui/views/tune/target_fields.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "core/fleet/target.h"
#include "core/session/preparation.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/runs/target_box.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr const char* usual_architecture = "sm_80";
constexpr qsizetype longest_line = 100;

QComboBox* make_choice(QWidget* parent, const QString& name) {
  auto* box = new QComboBox(parent);
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  return box;
}

void select_text(QComboBox& box, const QString& text) {
  if (box.findText(text) < 0) box.addItem(text);
  box.setCurrentText(text);
}

/** Shortens a text at a word boundary if it is longer than about two lines. */
QString shortened(const QString& text) {
  if (text.size() <= longest_line) return text;
  const qsizetype space = text.lastIndexOf(QLatin1Char(' '), longest_line);
  return text.left(space > 0 ? space : longest_line) + QStringLiteral(" …");
}

/** Returns "AMD EPYC, avx512, 64 cores" or "NVIDIA H200, sm_90a, compute units: 132, 139.8 GiB". */
QString target_summary(const schedule::TargetDescription& target) {
  QStringList parts{QString::fromStdString(target.device), QString::fromStdString(target.instructions())};
  const QString units = style::format_count(target.cores);
  if (target.kind == schedule::TargetKind::Cpu) {
    parts << (target.cores == 1 ? TargetFields::tr("1 core") : TargetFields::tr("%1 cores").arg(units));
  } else if (!target.architecture_only && target.cores > 0) {
    parts << TargetFields::tr("compute units: %1").arg(units);
  }
  if (target.memory_bytes > 0) parts << style::format_bytes(static_cast<double>(target.memory_bytes));
  parts.removeAll(QString());
  return parts.join(QStringLiteral(", "));
}

}  // namespace

TargetFields::TargetFields(workspace::Workspace& workspace, QFormLayout& rows, QWidget* parent)
    : QObject(parent), workspace_(workspace), rows_(rows) {
  make_fields(parent);
  add_rows();
  connect(target_, &QComboBox::currentIndexChanged, this, [this] {
    show_rows();
    emit changed();
  });
  connect(architecture_, &QComboBox::currentIndexChanged, this, &TargetFields::changed);
  connect(build_only_, &QCheckBox::clicked, this, [this](bool on) {
    wants_build_only_ = on;
    show_rows();
  });
  connect(build_only_, &QCheckBox::toggled, this, &TargetFields::changed);
  connect(look_, &QToolButton::clicked, &workspace_.devices(), &workspace::Devices::look);
  connect(&workspace_.devices(), &workspace::Devices::changed, this, &TargetFields::show_devices);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this,
          [this] { target_->set_recorded(*workspace_.sessions()); });
  connect(&workspace_.fleet_watch(), &workspace::FleetWatch::changed, this,
          [this] { target_->set_fleet(workspace_.fleet_watch().state()); });
  target_->set_fleet(workspace_.fleet_watch().state());
  target_->set_recorded(*workspace_.sessions());
  show_devices();
  show_rows();
}

void TargetFields::make_fields(QWidget* parent) {
  target_row_ = new QWidget(parent);
  target_ = new TargetBox(target_row_);
  look_ = new QToolButton(target_row_);
  look_->setIcon(style::icon(QStringLiteral("refresh")));
  look_->setAutoRaise(true);
  look_->setAccessibleName(tr("Search for devices again"));
  look_->setToolTip(look_->accessibleName());
  auto* row = new QHBoxLayout(target_row_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(target_, 1);
  row->addWidget(look_);
  target_text_ = widgets::make_note(parent);
  missing_ = widgets::make_note(parent, &style::Colours::muted_text);
  architecture_ = make_choice(parent, tr("Architecture that kernels are built for"));
  for (const std::string& name : measure::cuda_architectures())
    architecture_->addItem(QString::fromStdString(name));
  architecture_->setCurrentText(QString::fromLatin1(usual_architecture));
  build_only_ = new QCheckBox(tr("Build only"), parent);
  build_only_->setToolTip(
      tr("Kernels are compiled and never run: error categories and resources of real compiles, no timings"));
  build_only_text_ = widgets::make_note(parent, &style::Colours::muted_text);
  build_only_text_->setText(
      tr("No device runs these kernels: you get compile errors and resources, but no timings."));
  search_time_ = make_choice(parent, tr("How the tuner's own time counts on the virtual clock"));
  search_time_->addItem(tr("search time counts as measured"), QStringLiteral("measured"));
  search_time_->addItem(tr("search time is not counted"), QStringLiteral("none"));
}

void TargetFields::add_rows() {
  rows_.addRow(tr("Target"), target_row_);
  rows_.addRow(target_text_);
  rows_.addRow(missing_);
  rows_.addRow(tr("Built for"), architecture_);
  rows_.addRow(build_only_);
  rows_.addRow(build_only_text_);
  rows_.addRow(search_time_);
}

bool TargetFields::recorded() const { return session::is_recorded_target(target_->target()); }

/**
 * Returns true for GPU targets of this machine; a fleet's class is described by its workers and needs nothing
 * of this machine.
 */
bool TargetFields::of_gpu() const {
  return !recorded() && !fleet::is_fleet_target(target_->target()) && target_->target() != "cpu";
}

bool TargetFields::build_only() const { return of_gpu() && build_only_->isChecked(); }

/**
 * Shows the rows that apply: without a device, kernels can only be built for an architecture; CPU kernels are
 * always run.
 */
void TargetFields::show_rows() {
  const bool forced = target_->without_device();
  build_only_->setChecked(of_gpu() && (forced || wants_build_only_));
  build_only_->setEnabled(!forced);
  rows_.setRowVisible(architecture_, forced);
  rows_.setRowVisible(build_only_, of_gpu());
  rows_.setRowVisible(build_only_text_, forced);
  rows_.setRowVisible(search_time_, recorded());
}

void TargetFields::show_devices() {
  const workspace::Devices& devices = workspace_.devices();
  target_->set_devices(devices.survey(), devices.looking());
  look_->setEnabled(!devices.looking());
  QStringList missing;
  QStringList lines;
  if (devices.survey() != nullptr) {
    for (const workspace::MissingPlatform& platform : devices.survey()->missing) {
      missing << missing_platform_text(platform);
      lines << shortened(missing.back());
    }
  }
  // The tool tip and Tools, Devices show the full text and what to do.
  missing_->setText(lines.join(QLatin1Char('\n')));
  missing_->setToolTip(missing.join(QStringLiteral("\n\n")));
  rows_.setRowVisible(missing_, !missing.isEmpty());
  // The description of the chosen device may have changed.
  if (!devices.looking()) emit changed();
}

void TargetFields::show_target(const std::optional<schedule::TargetDescription>& target) {
  target_text_->setText(target ? target_summary(*target) : QString());
  rows_.setRowVisible(target_text_, target.has_value());
}

void TargetFields::write(session::TuningRequest& request) const {
  request.target = target_->target();
  request.measuring.build_only = build_only();
  if (target_->without_device()) request.architecture = architecture_->currentText().toStdString();
  // Targets that the box offers always parse.
  if (recorded())
    request.measuring.search_time =
        trial::parse_search_time(search_time_->currentData().toString().toStdString())
            .value_or(trial::SearchTime());
}

void TargetFields::read(const session::TuningRequest& request) {
  const bool without_device = !request.architecture.empty();
  if (without_device) select_text(*architecture_, QString::fromStdString(request.architecture));
  wants_build_only_ = request.measuring.build_only;
  target_->choose(request.target, without_device);
  const QString search_time = QString::fromStdString(trial::to_string(request.measuring.search_time));
  if (search_time_->findData(search_time) < 0) search_time_->addItem(search_time, search_time);
  search_time_->setCurrentIndex(search_time_->findData(search_time));
  show_rows();
}

}  // namespace kernelscape::views
