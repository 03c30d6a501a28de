#include "ui/views/learn/data_set_dialog.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "core/session/targets.h"
#include "core/task/catalogue.h"
#include "core/tuner/tuner.h"
#include "ui/files/dialog.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr double largest_gflop = 1e6;

/** Plans a data set; for a background job, because probing the compiler compiles a program. */
Result<study::DataSetPlan> plan_of(const study::DataSetRequest& request) {
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  const schedule::TargetDescription target =
      TRY(session::resolve_target(request.target, measure::CompilerNeed::Required));
  return study::plan_data_set(request, catalogue, target);
}

std::vector<std::string> listed(const QLineEdit* line) {
  std::vector<std::string> texts;
  for (const QString& text : line->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
    if (const QString trimmed = text.trimmed(); !trimmed.isEmpty()) texts.push_back(trimmed.toStdString());
  return texts;
}

QString joined(const std::vector<std::string>& texts) {
  QStringList parts;
  for (const std::string& text : texts) parts.append(QString::fromStdString(text));
  return parts.join(QStringLiteral(", "));
}

QComboBox* make_choices(const QString& name, const QStringList& texts) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->addItems(texts);
  return box;
}

/** Returns the templates that build CPU kernels. */
QStringList template_names() {
  QStringList names;
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
    if (schedule::supports(declaration, schedule::TargetKind::Cpu))
      names.append(QString::fromStdString(declaration.name));
  return names;
}

QStringList tuner_names() {
  QStringList names;
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    names.append(QString::fromStdString(tuner.name));
  return names;
}

QStringList sampling_names() {
  QStringList names;
  for (const task::Sampling method : {task::Sampling::Prior, task::Sampling::Rows, task::Sampling::Uniform})
    names.append(QString::fromStdString(task::to_string(method)));
  return names;
}

QLineEdit* make_line(const QString& name, const QString& placeholder) {
  auto* line = new QLineEdit;
  line->setAccessibleName(name);
  line->setPlaceholderText(placeholder);
  return line;
}

}  // namespace

DataSetDialog::DataSetDialog(workspace::Workspace& workspace, QWidget* parent)
    : widgets::RequestDialog(tr("New data set"), parent),
      workspace_(workspace),
      name_(make_line(tr("Name"), tr("made from the template"))),
      template_(make_choices(tr("Template"), template_names())),
      layers_(make_line(tr("Layers to draw from"), tr("all known layers, or networks, lists and files"))),
      sampling_(make_choices(tr("How tasks are drawn"), sampling_names())),
      tasks_(widgets::make_count(this, tr("Tasks"), 1, 60)),
      trials_(widgets::make_count(this, tr("Trials of each task"), 1, 128)),
      max_gflop_(widgets::make_amount(this, tr("Largest task"), largest_gflop, 0, QStringLiteral("GFLOP"),
                                      tr("not limited"))),
      held_out_(make_line(tr("Held out"), tr("networks and tasks, such as resnet-18"))),
      tuner_(make_choices(tr("Tuner that chooses the configurations"), tuner_names())),
      drawn_(new QListWidget),
      draw_(new QPushButton(tr("Draw"))) {
  drawn_->setAccessibleName(tr("Drawn tasks"));
  drawn_->setSelectionMode(QAbstractItemView::NoSelection);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(make_form());
  layout->addWidget(drawn_, 1);
  layout->addWidget(&message_line());
  layout->addLayout(make_buttons({draw_}));
  connect(draw_, &QPushButton::clicked, this, &DataSetDialog::draw);
  set_usual_size({90 * style::grid_pixels, 75 * style::grid_pixels});
  set_request({.template_name = template_->currentText().toStdString()});
  listen_to(workspace_.study_runner());
}

QLayout* DataSetDialog::make_form() {
  auto* files = new QPushButton(tr("Files..."));
  connect(files, &QPushButton::clicked, this, &DataSetDialog::add_files);
  auto* layers = new QHBoxLayout;
  layers->addWidget(layers_, 1);
  layers->addWidget(files);
  held_out_->setToolTip(tr(
      "Their shapes are never drawn, not even from other networks, because predictors are tested on them"));
  sampling_->setToolTip(
      tr("prior: draws each field separately, which gives new shapes similar to those of networks; rows: "
         "draws layers of the networks; uniform: draws any value of each field"));
  auto* left = new QFormLayout;
  left->addRow(tr("Template"), template_);
  left->addRow(tr("Layers"), layers);
  left->addRow(tr("Drawn by"), sampling_);
  left->addRow(tr("Held out"), held_out_);
  left->addRow(tr("Name"), name_);
  auto* right = new QFormLayout;
  right->addRow(tr("Tasks"), tasks_);
  right->addRow(tr("Trials of each"), trials_);
  right->addRow(tr("Largest"), max_gflop_);
  right->addRow(tr("Tuner"), tuner_);
  right->addRow(tr("Seed"), &seed_line());
  auto* form = new QHBoxLayout;
  form->setSpacing(2 * style::grid_pixels);
  form->addLayout(left, 3);
  form->addLayout(right, 2);
  for (const QLineEdit* line : {name_, layers_, held_out_, &seed_line()})
    connect(line, &QLineEdit::textChanged, this, &DataSetDialog::forget_plan);
  for (const QComboBox* box : {template_, sampling_, tuner_})
    connect(box, &QComboBox::currentIndexChanged, this, &DataSetDialog::forget_plan);
  for (const QSpinBox* box : {tasks_, trials_})
    connect(box, &QSpinBox::valueChanged, this, &DataSetDialog::forget_plan);
  connect(max_gflop_, &QDoubleSpinBox::valueChanged, this, &DataSetDialog::forget_plan);
  return form;
}

Result<study::DataSetRequest> DataSetDialog::request() const {
  study::DataSetRequest request = rest_;
  request.template_name = template_->currentText().toStdString();
  request.layers = listed(layers_);
  request.sampling = TRY(task::parse_task_sampling(sampling_->currentText().toStdString()));
  request.tasks = static_cast<std::size_t>(tasks_->value());
  request.trials = trials_->value();
  request.max_gflop = max_gflop_->value();
  request.held_out = listed(held_out_);
  request.tuner = tuner_->currentText().toStdString();
  request.name = name_->text().trimmed().toStdString();
  request.seed = TRY(seed());
  return request;
}

void DataSetDialog::set_request(const study::DataSetRequest& request) {
  rest_ = request;
  name_->setText(QString::fromStdString(request.name));
  template_->setCurrentText(QString::fromStdString(request.template_name));
  layers_->setText(joined(request.layers));
  sampling_->setCurrentText(QString::fromStdString(task::to_string(request.sampling)));
  tasks_->setValue(static_cast<int>(std::min<std::size_t>(request.tasks, widgets::max_count)));
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(request.trials, widgets::max_count)));
  max_gflop_->setValue(request.max_gflop);
  held_out_->setText(joined(request.held_out));
  tuner_->setCurrentText(QString::fromStdString(request.tuner));
  seed_line().setText(QString::number(request.seed));
  forget_plan();
}

void DataSetDialog::let_start_again() {
  start_button().setEnabled(true);
  if (plan_) notify(QString::fromStdString(study::sampling_text(*plan_)));
}

void DataSetDialog::forget_plan() {
  job_.cancel();
  plan_.reset();
  drawn_->clear();
  draw_->setEnabled(true);
  start_button().setEnabled(!awaiting());
  const Result<study::DataSetRequest> checked = request();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  notify(tr("%1 tasks with %2 trials each. Press Draw to list the tasks before anything is measured.")
             .arg(style::format_count(tasks_->value()), style::format_count(trials_->value())),
         &style::Colours::muted_text);
}

void DataSetDialog::draw() { plan(false); }

void DataSetDialog::start() {
  if (plan_) return queue();
  plan(true);
}

void DataSetDialog::plan(bool then_start) {
  Result<study::DataSetRequest> checked = request();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  draw_->setEnabled(false);
  start_button().setEnabled(false);
  notify(tr("Drawing tasks ..."), &style::Colours::muted_text);
  job_.start([request = std::move(*checked)](const workspace::JobControl&) { return plan_of(request); },
             [this, then_start](Result<study::DataSetPlan> planned) {
               draw_->setEnabled(true);
               start_button().setEnabled(true);
               if (!planned) return show_problem(QString::fromStdString(describe(planned.error())));
               plan_ = std::move(*planned);
               show_plan(*plan_);
               if (then_start) queue();
             });
}

void DataSetDialog::show_plan(const study::DataSetPlan& plan) {
  drawn_->clear();
  for (const task::Task& task : plan.sampled.tasks)
    drawn_->addItem(QStringLiteral("%1   %2").arg(
        QString::fromStdString(task.name), style::format_quantity(task.flops(), QStringLiteral("FLOP"))));
  notify(QString::fromStdString(study::sampling_text(plan)));
}

void DataSetDialog::queue() {
  start_button().setEnabled(false);
  notify(tr("Looking up tasks and templates ..."));
  await(workspace_.study_runner().start(plan_->study));
}

void DataSetDialog::add_files() {
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("Add layers"), {}, tr("Layers (*.csv *.json);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
    QStringList all = layers_->text().split(QLatin1Char(','), Qt::SkipEmptyParts);
    layers_->setText((all + files).join(QStringLiteral(", ")));
  });
  dialog->open();
}

}  // namespace kernelscape::views
