#include "ui/style/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QFontDatabase>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kernelscape::style {
namespace {

/** The platform's palette and font from before the first change, and the user's choices. */
struct State {
  ThemeChoice choice = ThemeChoice::System;
  bool dark = false;
  double scale = 1;
  const Colours* scoped = nullptr;  ///< colours of the innermost ColoursScope
  std::optional<QPalette> system_palette;
  std::optional<QFont> system_font;
};

State& state() {
  static State instance;
  return instance;
}

const QFont& system_font() {
  if (!state().system_font) state().system_font = QApplication::font();
  return *state().system_font;
}

/** Returns the factor of a text size to the system's font size. */
double relative_size(TextSize size) {
  switch (size) {
    case TextSize::Small:
      return 0.88;
    case TextSize::Large:
      return 1.5;
    default:
      return 1;
  }
}

QFont sized(QFont font, TextSize size) {
  const QFont& base = system_font();
  const double factor = state().scale * relative_size(size);
  if (base.pointSizeF() > 0) {
    font.setPointSizeF(base.pointSizeF() * factor);
  } else {
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(base.pixelSize() * factor))));
  }
  return font;
}

QColor mixed(const QColor& first, const QColor& second, double share) {
  const auto channel = [&](double a, double b) { return static_cast<float>(a + (b - a) * share); };
  return QColor::fromRgbF(channel(first.redF(), second.redF()), channel(first.greenF(), second.greenF()),
                          channel(first.blueF(), second.blueF()));
}

QPalette palette_of(const Colours& from) {
  QPalette palette;
  palette.setColor(QPalette::Window, from.window);
  palette.setColor(QPalette::WindowText, from.text);
  palette.setColor(QPalette::Base, from.surface);
  palette.setColor(QPalette::AlternateBase, mixed(from.surface, from.window, 0.6));
  palette.setColor(QPalette::Text, from.text);
  palette.setColor(QPalette::PlaceholderText, from.muted_text);
  palette.setColor(QPalette::Button, mixed(from.window, from.surface, 0.5));
  palette.setColor(QPalette::ButtonText, from.text);
  palette.setColor(QPalette::BrightText, from.warning);
  palette.setColor(QPalette::ToolTipBase, from.surface);
  palette.setColor(QPalette::ToolTipText, from.text);
  palette.setColor(QPalette::Highlight, from.selection);
  palette.setColor(QPalette::HighlightedText, from.selection_text);
  palette.setColor(QPalette::Link, from.accent);
  palette.setColor(QPalette::LinkVisited, from.accent);
  palette.setColor(QPalette::Light, mixed(from.window, Qt::white, from.dark ? 0.12 : 0.8));
  palette.setColor(QPalette::Midlight, mixed(from.window, Qt::white, from.dark ? 0.06 : 0.4));
  palette.setColor(QPalette::Mid, mixed(from.window, Qt::black, 0.25));
  palette.setColor(QPalette::Dark, mixed(from.window, Qt::black, from.dark ? 0.45 : 0.3));
  palette.setColor(QPalette::Shadow, mixed(from.window, Qt::black, 0.7));
  const QColor faded = mixed(from.text, from.window, 0.45);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, faded);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, from.hairline);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, from.muted_text);
  return palette;
}

double relative_luminance(const QColor& colour) {
  const auto linear = [](double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

/** Returns a colour interpolated between equally spaced colours. */
template <std::size_t count>
QColor interpolated(const std::array<QRgb, count>& stops, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(count - 1);
  const std::size_t index = std::min(static_cast<std::size_t>(place), count - 2);
  return mixed(QColor(stops[index]), QColor(stops[index + 1]), place - static_cast<double>(index));
}

}  // namespace

const Colours& colours() {
  if (state().scoped != nullptr) return *state().scoped;
  return state().dark ? dark_colours() : light_colours();
}

ColoursScope::ColoursScope(const Colours& chosen) : outer_(std::exchange(state().scoped, &chosen)) {}

ColoursScope::~ColoursScope() { state().scoped = outer_; }

void apply_theme(QApplication& application, ThemeChoice choice) {
  system_font();
  if (!state().system_palette) state().system_palette = QApplication::palette();
  const QPalette& given = *state().system_palette;
  const bool system_is_dark = given.color(QPalette::Window).lightness() < 128;
  state().choice = choice;
  state().dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && system_is_dark);
  QStyle* style = QApplication::style();
  if (style == nullptr || style->name().compare(QLatin1String("fusion"), Qt::CaseInsensitive) != 0)
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  application.setPalette(palette_of(colours()));
}

ThemeChoice theme_choice() { return state().choice; }

double text_scale() { return state().scale; }

void set_text_scale(double scale) {
  if (!std::isfinite(scale)) return;
  system_font();
  state().scale = std::clamp(scale, 0.5, 3.0);
  QApplication::setFont(font_of(TextSize::Normal));
  QApplication::setFont(font_of(TextSize::Normal),
                        "QDockWidgetTitle");  // otherwise its size is the desktop's
  // A dock paints its title with the title font at the time when the dock was made, unless the dock has its
  // own font. This font equals the title font in all visible properties.
  QFont own;
  own.setStyleHint(QFont::SansSerif);
  for (QWidget* widget : QApplication::allWidgets())
    if (auto* dock = qobject_cast<QDockWidget*>(widget)) dock->setFont(own);
  // Qt sends the event to windows only. A widget with its own font inherits no size and needs this event.
  for (QWidget* widget : QApplication::allWidgets()) {
    if (widget->isWindow()) continue;
    QEvent changed(QEvent::ApplicationFontChange);
    QApplication::sendEvent(widget, &changed);
  }
}

QFont font_of(TextSize size) { return sized(system_font(), size); }

QFont fixed_font_of(TextSize size) {
  return sized(QFontDatabase::systemFont(QFontDatabase::FixedFont), size);
}

QColor viridis(double t) {
  static constexpr std::array<QRgb, 10> stops = {0xff440154, 0xff482878, 0xff3e4989, 0xff31688e, 0xff26828e,
                                                 0xff1f9e89, 0xff35b779, 0xff6dcd59, 0xffb4de2c, 0xfffde725};
  return interpolated(stops, std::isnan(t) ? 0 : t);
}

QColor diverging(double t) {
  static constexpr std::array<QRgb, 5> stops = {0xff2166ac, 0xff92c5de, 0xfff7f7f7, 0xfff4a582, 0xffb2182b};
  return interpolated(stops, std::isnan(t) ? 0.5 : t);
}

double contrast_ratio(const QColor& first, const QColor& second) {
  const double a = relative_luminance(first);
  const double b = relative_luminance(second);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

}  // namespace kernelscape::style
