#include "ui/widgets/form_fields.h"

#include <QDoubleSpinBox>
#include <QSpinBox>

#include "ui/widgets/wrapped_label.h"

namespace kernelscape::widgets {

namespace {

/** A field with as many decimals as the amount has: "20 ms", not "20.000 ms". */
class AmountBox : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  QString textFromValue(double value) const override {
    QString text = QDoubleSpinBox::textFromValue(value);
    const QString point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    while (text.endsWith(locale().zeroDigit())) text.chop(1);
    if (text.endsWith(point)) text.chop(point.size());
    return text;
  }
};

}  // namespace

QSpinBox* make_count(QWidget* parent, const QString& name, int minimum, int value, const QString& zero) {
  auto* box = new QSpinBox(parent);
  box->setRange(minimum, max_count);
  box->setGroupSeparatorShown(true);
  box->setValue(value);
  box->setSpecialValueText(zero);
  box->setAccessibleName(name);
  box->setMinimumWidth(80);
  return box;
}

QDoubleSpinBox* make_amount(QWidget* parent, const QString& name, double maximum, double value,
                            const QString& unit, const QString& zero) {
  auto* box = new AmountBox(parent);
  box->setRange(0, maximum);
  box->setDecimals(3);
  box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  box->setValue(value);
  if (!unit.isEmpty()) box->setSuffix(QLatin1Char(' ') + unit);
  box->setSpecialValueText(zero);
  box->setAccessibleName(name);
  box->setMinimumWidth(80);
  return box;
}

QLabel* make_note(QWidget* parent, QColor style::Colours::* colour) {
  auto* label = new WrappedLabel(style::TextSize::Small, colour, parent);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

void allow_field(QWidget& field, const QString& obstacle) {
  field.setEnabled(obstacle.isEmpty());
  field.setToolTip(obstacle);
}

}  // namespace kernelscape::widgets
