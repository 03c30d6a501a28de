#include "ui/views/runs/adaptive_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr double min_threshold = 0.001;
constexpr double max_threshold = 100;
constexpr int max_samples = 10'000;

}  // namespace

AdaptiveForm::AdaptiveForm(QWidget* parent) : QWidget(parent) {
  const trial::MeasureOptions usual;
  on_ = new QCheckBox(tr("Adaptive evaluator"), this);
  on_->setToolTip(
      tr("End the samples of a trial once its performance is known (AdaTune, section 4.1).\n"
         "Switching it on chooses up to 500 samples of one call, as AdaTune's experiments took."));
  numbers_ = new QWidget(this);
  batch_ = widgets::make_count(numbers_, tr("Samples of a micro-batch"), 1,
                               trial::adatune_measuring.adaptive_batch);
  batch_->setMaximum(max_samples);
  batch_->setToolTip(tr("The performance is evaluated after each micro-batch of so many samples"));
  threshold_ = widgets::make_amount(numbers_, tr("Threshold of the coefficient of variation"), max_threshold,
                                    usual.adaptive_threshold, {});
  threshold_->setMinimum(min_threshold);
  threshold_->setToolTip(
      tr("The performance is known once the std / mean of the evaluated values is below this threshold"));
  minimum_ = widgets::make_count(numbers_, tr("Minimum number of micro-batches"), 2, usual.adaptive_minimum);
  minimum_->setMaximum(max_samples);
  minimum_->setToolTip(tr("Micro-batches before the threshold is tested"));
  performance_ = new QComboBox(numbers_);
  performance_->setAccessibleName(tr("Performance that is evaluated"));
  performance_->addItem(tr("since the first sample"));
  performance_->addItem(tr("of each micro-batch"));
  performance_->setToolTip(
      tr("Since the first sample: as in the paper; of each micro-batch: as in the published code"));
  auto* form = new QFormLayout(numbers_);
  form->setContentsMargins(8, 0, 0, 0);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("Micro-batch"), batch_);
  form->addRow(tr("Threshold"), threshold_);
  form->addRow(tr("At least"), minimum_);
  form->addRow(tr("Performance"), performance_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(on_);
  column->addWidget(numbers_);
  numbers_->hide();
  connect(on_, &QCheckBox::toggled, numbers_, &QWidget::setVisible);
  connect(on_, &QCheckBox::clicked, this, &AdaptiveForm::switched);
  connect(on_, &QCheckBox::toggled, this, &AdaptiveForm::changed);
  connect(batch_, &QSpinBox::valueChanged, this, &AdaptiveForm::changed);
  connect(threshold_, &QDoubleSpinBox::valueChanged, this, &AdaptiveForm::changed);
  connect(minimum_, &QSpinBox::valueChanged, this, &AdaptiveForm::changed);
  connect(performance_, &QComboBox::currentIndexChanged, this, &AdaptiveForm::changed);
}

void AdaptiveForm::write(trial::MeasureOptions& options) const {
  if (!on_->isChecked()) return;
  options.adaptive_batch = batch_->value();
  options.adaptive_threshold = threshold_->value();
  options.adaptive_minimum = minimum_->value();
  options.adaptive_performance = static_cast<trial::AdaptivePerformance>(performance_->currentIndex());
}

void AdaptiveForm::read(const trial::MeasureOptions& options) {
  on_->setChecked(options.adaptive());
  batch_->setValue(options.adaptive() ? options.adaptive_batch : trial::adatune_measuring.adaptive_batch);
  threshold_->setValue(options.adaptive_threshold);
  minimum_->setValue(options.adaptive_minimum);
  performance_->setCurrentIndex(static_cast<int>(options.adaptive_performance));
}

}  // namespace kernelscape::views
