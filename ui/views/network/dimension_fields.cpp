#include "ui/views/network/dimension_fields.h"

#include <QFormLayout>
#include <QSpinBox>
#include <algorithm>

#include "ui/widgets/form_fields.h"

namespace kernelscape::views {

DimensionFields::DimensionFields(QWidget* parent) : QWidget(parent), rows_(new QFormLayout(this)) {
  rows_->setContentsMargins(0, 0, 0, 0);
  rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  hide();
}

void DimensionFields::add(const std::vector<OpenDimension>& open) {
  for (const OpenDimension& dimension : open) {
    if (std::ranges::find(fields_, dimension.name, &Field::name) != fields_.end()) continue;
    const QString name = QString::fromStdString(dimension.name);
    QSpinBox* length = widgets::make_count(
        this,
        tr("Length of %1, a dimension of the input %2").arg(name, QString::fromStdString(dimension.input)), 0,
        0, tr("how long?"));
    length->setToolTip(length->accessibleName());
    rows_->addRow(name, length);
    fields_.push_back({dimension.name, length});
    connect(length, &QSpinBox::valueChanged, this, &DimensionFields::changed);
  }
  setVisible(!fields_.empty());
}

void DimensionFields::clear() {
  for (const Field& field : fields_) rows_->removeRow(field.length);
  fields_.clear();
  hide();
}

std::vector<measure::ModelDimension> DimensionFields::given() const {
  std::vector<measure::ModelDimension> lengths;
  for (const Field& field : fields_)
    if (field.length->value() > 0) lengths.push_back({field.name, field.length->value()});
  return lengths;
}

}  // namespace kernelscape::views
