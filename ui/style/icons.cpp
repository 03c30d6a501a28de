#include "ui/style/icons.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include "ui/style/theme.h"

/**
 * Loads the icons. This function must be outside of any namespace: the macro declares a function of the
 * resource compiler.
 */
static void register_resources() { Q_INIT_RESOURCE(resources); }

namespace kernelscape::style {
namespace {

void require_resources() {
  static const bool registered = [] {
    register_resources();
    return true;
  }();
  static_cast<void>(registered);
}

QString path_of(const QString& name) { return QStringLiteral(":/icons/%1.svg").arg(name); }

/** An icon engine that paints an SVG with `currentColor` in the theme's colour at the time of painting. */
class TintedIconEngine : public QIconEngine {
 public:
  explicit TintedIconEngine(QByteArray source) : source_(std::move(source)) {}

  void paint(QPainter* painter, const QRect& rectangle, QIcon::Mode mode, QIcon::State) override {
    const double ratio = painter->device()->devicePixelRatioF();
    painter->drawPixmap(rectangle, scaledPixmap(rectangle.size() * ratio, mode, QIcon::Off, ratio));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1);
  }

  /** Returns the icon in a size. @param size in device pixels */
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal ratio) override {
    const QColor tint = tint_of(mode);
    const double opacity = mode == QIcon::Disabled ? 0.4 : 1.0;
    const QString key = QStringLiteral("%1x%2 %3 %4 %5")
                            .arg(size.width())
                            .arg(size.height())
                            .arg(tint.rgba())
                            .arg(opacity)
                            .arg(ratio);
    const auto known = pictures_.constFind(key);
    if (known != pictures_.constEnd()) return *known;
    QByteArray coloured = source_;
    coloured.replace("currentColor", tint.name().toLatin1());
    QSvgRenderer renderer(coloured);
    QPixmap picture(size.expandedTo({1, 1}));
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    const int side = std::min(picture.width(), picture.height());
    painter.setOpacity(opacity);
    renderer.render(&painter,
                    QRectF((picture.width() - side) / 2.0, (picture.height() - side) / 2.0, side, side));
    painter.end();
    picture.setDevicePixelRatio(ratio);
    return *pictures_.insert(key, picture);
  }

  QIconEngine* clone() const override { return new TintedIconEngine(source_); }

 private:
  static QColor tint_of(QIcon::Mode mode) {
    return mode == QIcon::Selected ? colours().selection_text : colours().text;
  }

  QByteArray source_;
  QHash<QString, QPixmap> pictures_;
};

}  // namespace

QIcon icon(const QString& name) {
  require_resources();
  QFile file(path_of(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new TintedIconEngine(file.readAll()));
}

QStringList icon_names() {
  require_resources();
  QStringList names;
  for (const QString& file : QDir(QStringLiteral(":/icons")).entryList(QDir::Files, QDir::Name))
    names.append(file.chopped(4));
  names.sort();
  return names;
}

QIcon application_icon() {
  require_resources();
  return QIcon(QStringLiteral(":/kernelscape.svg"));
}

}  // namespace kernelscape::style
