#pragma once

#include <QColor>
#include <QFont>
#include <array>
#include <vector>

#include "core/trial/measurement.h"

class QApplication;

namespace kernelscape::style {

/** The grid of the layout: distances between widgets, and their sizes, are multiples of it. */
inline constexpr int grid_pixels = 8;

enum class ThemeChoice { System, Light, Dark };

/** The three sizes of text, relative to the system's font and to `text_scale()`. */
enum class TextSize { Small, Normal, Large };

/** The pattern of a filled area, so that it can be distinguished without its colour. */
enum class Hatch { Solid, Horizontal, Vertical, Diagonal, BackDiagonal, Cross, DiagonalCross, Dots, Dashes };

/** The style of an error category in every chart and table; it never relies on colour alone. */
struct CategoryStyle {
  QColor colour;
  /** V valid, I instantiation, H host, D device, R run time, W wrong, B, T time-outs, U unknown. */
  char letter = 'V';
  Hatch hatch = Hatch::Solid;
};

/** The style of an arm (a tuner with its settings) in all charts of a study. */
struct ArmStyle {
  QColor colour;
  std::vector<double> dashes;  ///< lengths of lines and gaps in units of the line's width; empty: solid
};

struct SyntaxColours {
  QColor keyword;
  QColor type;
  QColor number;
  QColor string;
  QColor comment;
  QColor preprocessor;
  QColor function;
};

/** The phases of wall time, in the order in which they are stacked. */
struct PhaseColours {
  QColor search;
  QColor build;
  QColor run;
  QColor idle;
};

constexpr std::size_t arm_style_count = 8;

/**
 * Every colour of the window, in a light and a dark variant. Text has a contrast of at least 4.5:1 to its
 * background: window, surface, and a selected row. The colours of categories and arms, which are also used
 * for their names in charts and tables, have this contrast to the surface. Graphics have at least 3:1.
 * Hairline and grid are decoration; trials that do not pass a filter are drawn in the hairline's colour.
 */
struct Colours {
  bool dark = false;
  QColor window;   ///< the window's background
  QColor surface;  ///< background of charts, tables and input fields
  QColor text;
  QColor muted_text;
  QColor hairline;
  QColor grid;
  QColor accent;       ///< valid, best and own results; usable as text
  QColor accent_text;  ///< text on the accent
  QColor selection;    ///< background of selected text and rows
  QColor selection_text;
  QColor marked;  ///< selected points of a chart
  QColor focus_ring;
  QColor warning;
  std::array<CategoryStyle, trial::error_category_count> categories;
  std::array<ArmStyle, arm_style_count> arms;
  ArmStyle other_arm;  ///< style of arms after the eighth
  SyntaxColours syntax;
  PhaseColours phases;

  /** Returns colour, letter and hatch of a category. */
  const CategoryStyle& of(trial::ErrorCategory category) const {
    return categories[static_cast<std::size_t>(category)];
  }
  /** Returns the style of an arm by its position in its study; grey from the ninth arm on. */
  const ArmStyle& arm(std::size_t index) const { return index < arms.size() ? arms[index] : other_arm; }
};

/** Returns the light colours, independent of the current theme; also for paper and files. */
const Colours& light_colours();
/** Returns the dark colours, independent of the current theme. */
const Colours& dark_colours();

/**
 * Returns the colours of the current theme; light before the first `apply_theme`. Widgets repaint on
 * QEvent::PaletteChange.
 */
const Colours& colours();

/**
 * Replaces the result of `colours()` during its lifetime, independent of the window's theme: for files.
 * Scopes can be nested. They are used on the window's thread and must end before control returns to its event
 * loop.
 */
class ColoursScope {
 public:
  explicit ColoursScope(const Colours& chosen);
  ~ColoursScope();
  ColoursScope(const ColoursScope&) = delete;
  ColoursScope& operator=(const ColoursScope&) = delete;

 private:
  const Colours* outer_;
};

/** Applies Fusion style, palette and fonts. System follows the lightness of the platform's palette. */
void apply_theme(QApplication& application, ThemeChoice choice);
/** Returns the choice last applied; it may be System, which `colours().dark` resolves. */
ThemeChoice theme_choice();

/** Returns the scale of text, in [0.5, 3]; 1 is the system's font size. */
double text_scale();
/**
 * Sets the scale of text and the application's font. The scale is clamped to [0.5, 3]; values that are not
 * finite are ignored. Every widget receives QEvent::ApplicationFontChange, not only windows.
 */
void set_text_scale(double scale);
/** Returns the system's proportional font in this size, multiplied by the text scale. */
QFont font_of(TextSize size);
/** Returns a fixed-width font, for sources and for numbers in columns. */
QFont fixed_font_of(TextSize size);

/** Returns a colour of viridis, for heat maps; t is clamped to [0, 1], NaN counts as 0. */
QColor viridis(double t);

/** Returns blue at 0, white at the centre 0.5 and red at 1; t is clamped, NaN counts as the centre. */
QColor diverging(double t);

/** Returns the contrast ratio of two colours by WCAG 2, in [1, 21]. */
double contrast_ratio(const QColor& first, const QColor& second);

}  // namespace kernelscape::style
