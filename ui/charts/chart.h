#pragma once

#include <QImage>
#include <QPointer>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "ui/charts/canvas.h"
#include "ui/charts/chart_table.h"

class QMenu;
class QToolButton;

namespace kernelscape {

class RowSet;

/** A widget that knows what the charts inside it are of: what a picture says that leaves the window. */
class ChartPlace {
 public:
  virtual ~ChartPlace() = default;
  /** Task, target, device and date in a line; empty: not known. */
  virtual QString provenance() const = 0;
};

/** What the chart says of the thing under the mouse, or where the arrow keys went. */
struct Readout {
  QPointF position;       ///< of the mark, in the widget's logical pixels
  QStringList lines;      ///< the first one is the headline
  std::int64_t row = -1;  ///< what a click or Enter activates; -1: nothing
};

/**
 * The base of every chart: a title line that says what is shown and of what, a "..." menu (copy, save, table,
 * reset, explain), a readout for mouse and arrow keys, a notice for empty states, and export as PNG, SVG and
 * CSV.
 *
 * What `paint_chart` paints is kept as a picture until `invalidate()`; what follows the mouse belongs into
 * `paint_overlay`. Painting is coalesced and opaque. The theme's colours must be read while painting.
 */
class Chart : public QWidget {
  Q_OBJECT

 public:
  explicit Chart(QWidget* parent = nullptr);

  /** @param of the session, space or study, "" where the view says it; stands muted behind the title */
  void set_title(const QString& what, const QString& of = {});
  QString title() const { return title_; }  ///< what is shown, without the muted part

  /** Stands in place of the data and says what to do next; empty: none. */
  void set_notice(const QString& text);
  QString notice() const { return notice_; }  ///< empty: data are shown

  /** How to read what it shows now; stands before the explanation. */
  void set_caption(const QString& text) { caption_ = text; }
  QString caption() const { return caption_; }  ///< empty: none

  /** Of the nearest ChartPlace around it: the last line of saved and copied pictures. Empty: none around. */
  QString provenance() const;

  /** The one current trial, where the chart shows trials; no_row: none. */
  virtual void set_current_row(std::int64_t) {}
  /** Rows beyond the trials are ignored. */
  virtual void set_selection(const RowSet&) {}

  /** What is shown as numbers. */
  virtual ChartTable table() const = 0;
  /** What this chart is, how to read it, and which figure of which paper it follows. */
  virtual QString explanation() const = 0;
  /** Caption, where there is one, and explanation. */
  QString full_explanation() const;
  /** The values in a sentence, for the accessible name; may be empty. */
  virtual QString summary() const { return {}; }
  /** What is under a point of the widget. */
  virtual std::optional<Readout> readout_at(QPointF position) const;

  /** What stands beside the mouse or the arrow keys now; none: nothing. */
  const std::optional<Readout>& readout() const { return readout_; }

  /** Paints title and chart, without what follows the mouse. */
  void render_to(Canvas& canvas, QSizeF size);
  /** @param pixel_ratio device pixels per logical pixel of the widget's size */
  QImage to_image(double pixel_ratio = 2);
  /** In the widget's size, as UTF-8. */
  QByteArray to_svg();
  /** The same two with the provenance below, for who does not see the window. */
  QImage to_picture_file(double pixel_ratio = 2);
  /** As UTF-8; the size is the widget's with that line. */
  QByteArray to_svg_file();
  /**
   * By the suffix: .png (two device pixels per pixel), .svg or .csv; the file appears as a whole or not at
   * all. Occupied: something else than a chart of this kind stands there, which only `force` replaces.
   */
  Status save(const QString& path, bool force = false);
  /** As a picture, SVG and CSV at once. */
  void copy_to_clipboard();

  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 public slots:
  /** Opens the "..." menu below its button; nothing where it is open. */
  void show_menu();
  /** Opens a window with the numbers; it blocks nothing. */
  void show_table();
  /** Opens a window with caption and explanation; it blocks nothing. */
  void explain();
  /** Back to the first view (Home). */
  virtual void reset_view();

 signals:
  /** A click or Enter on something that stands for a row of the trial table. */
  void row_activated(qint64 row);
  /** The user wants it to fill the window, or no more: double click, menu, Enter without a readout. */
  void maximise_requested();
  /** The readout came, went or says something else. */
  void readout_changed();
  /** Something to tell in passing: saved where, or why not. */
  void notified(const QString& text);

 protected:
  /** @param area below the title line */
  virtual void paint_chart(Canvas& canvas, const QRectF& area) = 0;
  /** Painted over the picture, each time. */
  virtual void paint_overlay(Canvas& canvas, const QRectF& area);
  /** Adds entries to the "..." menu, before the common ones. */
  virtual void extend_menu(QMenu& menu);
  /** Where an arrow key goes from the readout (none: the first one); none: nowhere. */
  virtual std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const;
  /** A click or Enter on it; emits row_activated. */
  virtual void activate(const Readout& readout);

  /** None takes it away; emits `readout_changed` where it is another. */
  void set_readout(std::optional<Readout> readout);
  /** The picture is stale: data, view or size changed. */
  void invalidate();
  /** What lies below the title line of a chart of this size. */
  QRectF body_rect(QSizeF size) const;
  /** Of the widget as it is now. */
  QRectF body_rect() const { return body_rect(QSizeF(size())); }

  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QSizeF file_size() const;
  void render_file(Canvas& canvas);
  /** Paints into the picture, whose memory is taken again while its size is right. */
  void paint_picture(QImage& picture, double pixel_ratio);
  void paint_title(Canvas& canvas, QSizeF size) const;
  void paint_notice(Canvas& canvas, const QRectF& area) const;
  void paint_readout(Canvas& canvas) const;
  bool base_key(const QKeyEvent& event);
  void update_accessible_name();
  void place_menu_button();
  void add_common_actions(QMenu& menu);
  void ask_and_save(const QString& suffix);
  void save_asking(const QString& path, bool force = false);

  QString title_;
  QString of_;
  QString notice_;
  QString caption_;
  std::optional<Readout> readout_;
  QImage picture_;
  bool stale_ = true;
  const Colours* painted_colours_ = nullptr;
  double painted_scale_ = 0;
  QToolButton* menu_button_ = nullptr;
  QPointer<QMenu> menu_;
};

}  // namespace kernelscape
