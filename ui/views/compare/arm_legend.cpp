#include "ui/views/compare/arm_legend.h"

#include <QCheckBox>
#include <QEvent>
#include <QPainter>

#include "ui/charts/painter_canvas.h"
#include "ui/widgets/flow_layout.h"

namespace kernelscape::views {
namespace {

constexpr QSize swatch_size{44, 12};
constexpr int spacing = 12;

QIcon swatch_of(std::size_t arm, double pixel_ratio) {
  QPixmap picture(swatch_size * pixel_ratio);
  picture.setDevicePixelRatio(pixel_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  charts::PainterCanvas canvas(painter);
  const double middle = swatch_size.height() / 2.0;
  canvas.line({0, middle}, {swatch_size.width() * 1.0, middle}, charts::arm_stroke(arm, 2));
  return QIcon(picture);
}

}  // namespace

ArmLegend::ArmLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Tuners that are compared"));
  auto* layout = new widgets::FlowLayout(spacing);
  setLayout(layout);
}

void ArmLegend::set_arms(const QStringList& names, const QStringList& settings) {
  if (names == names_) return;
  names_ = names;
  qDeleteAll(boxes_);
  boxes_.clear();
  hidden_.clear();
  for (qsizetype i = 0; i < names.size(); ++i) {
    auto* box = new QCheckBox(QString(names[i]).replace(QLatin1Char('&'), QLatin1String("&&")));
    box->setChecked(true);
    box->setAccessibleName(tr("Show %1").arg(names[i]));
    box->setToolTip(settings.value(i));
    box->setIconSize(swatch_size);
    connect(box, &QCheckBox::toggled, this, [this, arm = static_cast<std::size_t>(i)](bool shown) {
      if (shown ? hidden_.erase(arm) > 0 : hidden_.insert(arm).second) emit hidden_changed();
    });
    layout()->addWidget(box);
    boxes_.append(box);
  }
  paint_swatches();
  updateGeometry();
}

void ArmLegend::show_all() {
  for (QCheckBox* box : boxes_) box->setChecked(true);
}

void ArmLegend::paint_swatches() {
  for (qsizetype i = 0; i < boxes_.size(); ++i)
    boxes_[i]->setIcon(swatch_of(static_cast<std::size_t>(i), devicePixelRatioF()));
}

void ArmLegend::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) paint_swatches();
}

}  // namespace kernelscape::views
