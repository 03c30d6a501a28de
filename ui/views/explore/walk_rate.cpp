#include "ui/views/explore/walk_rate.h"

#include <QBoxLayout>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "core/analysis/landscape/random_walk.h"

namespace kernelscape::views {
namespace {

constexpr double hundredths = 100;
constexpr int slider_width = 140;

}  // namespace

void WalkRate::set_q(double q) {
  const double rounded = std::round(std::clamp(q, 0.0, space::max_walk_rate) * hundredths) / hundredths;
  if (rounded == q_) return;
  q_ = rounded;
  emit changed();
}

WalkRateControl::WalkRateControl(WalkRate& rate, QWidget* parent)
    : QWidget(parent), rate_(rate), slider_(new QSlider(Qt::Horizontal)), number_(new QDoubleSpinBox) {
  const QString tip =
      tr("The walk continues to a neighbouring value with probability q, and stops otherwise");
  slider_->setRange(0, static_cast<int>(std::lround(space::max_walk_rate * hundredths)));
  slider_->setPageStep(10);
  slider_->setFixedWidth(slider_width);
  slider_->setAccessibleName(tr("Rate q of the random walk, slider"));
  slider_->setToolTip(tip);
  number_->setRange(0, space::max_walk_rate);
  number_->setSingleStep(0.05);
  number_->setDecimals(2);
  number_->setLocale(QLocale::c());
  number_->setAccessibleName(tr("Rate q of the random walk"));
  number_->setToolTip(tip);
  auto* label = new QLabel(tr("q-random walk, q ="));
  label->setBuddy(number_);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(label);
  layout->addWidget(slider_);
  layout->addWidget(number_);
  layout->addStretch(1);  // keeps the fields together in a wide window
  connect(slider_, &QSlider::valueChanged, this, [this](int value) { rate_.set_q(value / hundredths); });
  connect(number_, &QDoubleSpinBox::valueChanged, &rate_, &WalkRate::set_q);
  connect(&rate_, &WalkRate::changed, this, &WalkRateControl::show_rate);
  show_rate();
}

void WalkRateControl::show_rate() {
  const QSignalBlocker quiet_slider(slider_);
  const QSignalBlocker quiet_number(number_);
  slider_->setValue(static_cast<int>(std::lround(rate_.q() * hundredths)));
  number_->setValue(rate_.q());
}

}  // namespace kernelscape::views
