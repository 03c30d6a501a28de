#pragma once

#include <QColor>
#include <QFont>
#include <array>
#include <vector>

#include "core/trial/measurement.h"

class QApplication;

namespace kernelscape {

/** Distances between widgets, and their sizes, are multiples of it. */
inline constexpr int grid_pixels = 8;

enum class ThemeChoice { System, Light, Dark };

/** The three sizes of text, relative to the system's font and to `text_scale()`. */
enum class TextSize { Small, Normal, Large };

/** How an area is filled, so that it can be told apart without its colour. */
enum class Hatch { Solid, Horizontal, Vertical, Diagonal, BackDiagonal, Cross, DiagonalCross, Dots, Dashes };

/** How an error category looks in every chart and table: never by colour alone. */
struct CategoryStyle {
  QColor colour;
  char letter =
      'V';  ///< V valid, I instantiation, H host, D device, R run time, W wrong, B, T time-outs, U unknown
  Hatch hatch = Hatch::Solid;
};

/** How an arm (a tuner with its settings) looks everywhere within a study. */
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
 * Every colour of the window, in a light and a dark variant. Text has a contrast of at least 4.5:1 to what it
 * stands on: window, surface, and a selected row; categories and arms, which name themselves in charts and
 * tables, to the surface. Graphics have at least 3:1; hairline and grid are decoration, and what is
 * drawn faint because it does not pass a filter has the hairline's colour.
 */
struct Colours {
  bool dark = false;
  QColor window;   ///< behind everything
  QColor surface;  ///< of charts, tables and input fields
  QColor text;
  QColor muted_text;
  QColor hairline;
  QColor grid;
  QColor accent;       ///< what is valid, best, ours; usable as text
  QColor accent_text;  ///< on the accent
  QColor selection;    ///< behind selected text and rows
  QColor selection_text;
  QColor marked;  ///< selected points of a chart
  QColor focus_ring;
  QColor warning;
  std::array<CategoryStyle, error_category_count> categories;
  std::array<ArmStyle, arm_style_count> arms;
  ArmStyle other_arm;  ///< beyond eight arms, until picked
  SyntaxColours syntax;
  PhaseColours phases;

  /** Colour, letter and hatch of a category. */
  const CategoryStyle& of(ErrorCategory category) const {
    return categories[static_cast<std::size_t>(category)];
  }
  /** By the arm's position in its study; grey from the ninth on. */
  const ArmStyle& arm(std::size_t index) const { return index < arms.size() ? arms[index] : other_arm; }
};

/** Fixed, whatever theme is in use; for paper and files too. */
const Colours& light_colours();
/** Fixed, whatever theme is in use. */
const Colours& dark_colours();

/** Of the theme in use; light before the first `apply_theme`. Widgets repaint on QEvent::PaletteChange. */
const Colours& colours();

/**
 * While it lives, `colours()` are these, whatever the window shows: for files. They nest; on the window's
 * thread, between two returns to its event loop.
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

/** Fusion style, palette and fonts. System follows the lightness of the palette that the platform gave. */
void apply_theme(QApplication& application, ThemeChoice choice);
/** As last applied; it may be System, which `colours().dark` resolves. */
ThemeChoice theme_choice();

/** 1: the system's font size. Setting it changes the application's font; it is kept within [0.5, 3]. */
double text_scale();
/** Ignores what is not finite. Every widget gets QEvent::ApplicationFontChange, not only windows. */
void set_text_scale(double scale);
/** The system's proportional font at this size, scaled. */
QFont font_of(TextSize size);
/** Fixed width, for sources and numbers in columns. */
QFont fixed_font_of(TextSize size);

/** Viridis for heat maps; t is clamped to [0, 1], NaN counts as 0. */
QColor viridis(double t);

/** Blue at 0, white at the centre 0.5, red at 1; t is clamped, NaN counts as the centre. */
QColor diverging(double t);

/** The WCAG 2 contrast ratio, in [1, 21]. */
double contrast_ratio(const QColor& first, const QColor& second);

}  // namespace kernelscape
