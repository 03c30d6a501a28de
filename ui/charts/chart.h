#pragma once

#include <QImage>
#include <QPointer>
#include <QWidget>
#include <optional>

#include "core/base/result.h"
#include "ui/charts/canvas.h"
#include "ui/charts/readout.h"
#include "ui/charts/table.h"

class QMenu;
class QToolButton;

namespace kernelscape::analysis {
class RowSet;
}  // namespace kernelscape::analysis

namespace kernelscape::charts {

/** A widget that knows the source of the data in its charts, for pictures that leave the window. */
class Place {
 public:
  virtual ~Place() = default;
  /** Returns task, target, device and date in one line, or an empty string if they are not known. */
  virtual QString provenance() const = 0;
};

/**
 * The base of every chart: a title line with the quantity and its source, a "..." menu (copy, save, table,
 * reset, explain), a readout for mouse and arrow keys, a notice for empty states, and export as PNG, SVG and
 * CSV.
 *
 * The output of `paint_chart` is cached as a picture until `invalidate()`; marks that follow the mouse belong
 * in `paint_overlay`. Painting is coalesced and opaque. The theme's colours must be read while painting.
 */
class Chart : public QWidget {
  Q_OBJECT

 public:
  explicit Chart(QWidget* parent = nullptr);

  /**
   * Sets the title.
   * @param of the session, space or study, shown muted behind the title; "" if the view already names it
   */
  void set_title(const QString& what, const QString& of = {});
  QString title() const { return title_; }  ///< Returns the title without the muted part

  /** Sets the notice that replaces the data and says what to do next; empty: no notice. */
  void set_notice(const QString& text);
  QString notice() const { return notice_; }  ///< Returns the notice; empty: data are shown

  /** Sets the caption: how to read the data shown now. It precedes the explanation. */
  void set_caption(const QString& text) { caption_ = text; }
  QString caption() const { return caption_; }  ///< empty: none

  /**
   * Returns the provenance from the nearest enclosing Place: the last line of saved and copied pictures.
   * Empty if no Place encloses the chart.
   */
  QString provenance() const;

  /** Sets the current trial, in charts that show trials; no_row: none. */
  virtual void set_current_row(std::int64_t) {}
  /** Sets the selected rows. Rows beyond the trials are ignored. */
  virtual void set_selection(const analysis::RowSet&) {}

  /** Returns the data shown, as numbers. */
  virtual Table table() const = 0;
  /**
   * Explains what this chart is, how to read it, and which figure of which paper it follows: the text of
   * `set_explanation`, unless a chart explains the data that it shows.
   */
  virtual QString explanation() const { return explanation_; }
  /** Returns the caption, if there is one, and the explanation. */
  QString full_explanation() const;
  /** Returns the values in a sentence, for the accessible name; may be empty. */
  virtual QString summary() const { return {}; }
  /** Returns the readout of the mark at a point of the widget, or nullopt if there is none. */
  virtual std::optional<Readout> readout_at(QPointF position) const;

  /** Returns the readout shown now, from the mouse or the arrow keys; nullopt: none. */
  const std::optional<Readout>& readout() const { return readout_; }

  /** Paints the title and the chart, without the marks that follow the mouse. */
  void render_to(Canvas& canvas, QSizeF size);
  /**
   * Returns the chart as an image.
   * @param pixel_ratio device pixels per logical pixel of the widget's size
   */
  QImage to_image(double pixel_ratio = 2);
  /** Returns the chart in the widget's size as SVG, in UTF-8. */
  QByteArray to_svg();
  /** Returns an image of the chart with the provenance below, for readers who do not see the window. */
  QImage to_picture_file(double pixel_ratio = 2);
  /**
   * Returns the chart with the provenance below as SVG, in UTF-8. Its size is the widget's plus that line.
   */
  QByteArray to_svg_file();
  /** Copies the chart as a picture, SVG and CSV at once. */
  void copy_to_clipboard();

  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 public slots:
  /** Opens the "..." menu below its button; does nothing if it is open. */
  void show_menu();
  /** Opens a non-modal window with the numbers. */
  void show_table();
  /** Opens a non-modal window with caption and explanation. */
  void explain();
  /** Returns to the first view (Home). */
  virtual void reset_view();

 signals:
  /** Emitted on a click or Enter on a mark of a row of the trial table. */
  void row_activated(qint64 row);
  /**
   * Emitted when the user asks to maximise the chart or to restore it: double click, menu, or Enter without a
   * readout.
   */
  void maximise_requested();
  /** Emitted when the readout appears, disappears or changes. */
  void readout_changed();
  /** Emitted with a short message: where a file was saved, or why it was not. */
  void notified(const QString& text);

 protected:
  /**
   * Paints the data.
   * @param area below the title line
   */
  virtual void paint_chart(Canvas& canvas, const QRectF& area) = 0;
  /** Paints over the cached picture on every repaint. */
  virtual void paint_overlay(Canvas& canvas, const QRectF& area);
  /** Adds entries to the "..." menu, before the common ones. */
  virtual void extend_menu(QMenu& menu);
  /**
   * Returns the readout that an arrow key moves to.
   * @param from the current readout; nullopt: the key moves to the first mark
   * @return nullopt if there is nothing to move to
   */
  virtual std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const;
  /** Handles a click or Enter on a readout; emits row_activated. */
  virtual void activate(const Readout& readout);

  /** Sets the explanation, in the constructor of a chart whose explanation does not depend on the data. */
  void set_explanation(const QString& text) { explanation_ = text; }
  /** Reads the place of the readout again, after a live update of the data; does nothing without a readout.
   */
  void refresh_readout();
  /** Sets or, with nullopt, removes the readout; emits `readout_changed` if it differs. */
  void set_readout(std::optional<Readout> readout);
  /** Marks the cached picture as stale, since data, view or size changed. */
  void invalidate();
  /** Returns the area below the title line of a chart of this size. */
  QRectF body_rect(QSizeF size) const;
  /** Returns the area below the title line of the widget in its current size. */
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
  /** Paints into the picture and reuses its memory if its size is right. */
  void paint_picture(QImage& picture, double pixel_ratio);
  void paint_title(Canvas& canvas, QSizeF size) const;
  void paint_notice(Canvas& canvas, const QRectF& area) const;
  bool base_key(const QKeyEvent& event);
  void update_accessible_name();
  void place_menu_button();
  void add_common_actions(QMenu& menu);

  QString title_;
  QString of_;
  QString notice_;
  QString caption_;
  QString explanation_;
  std::optional<Readout> readout_;
  QImage picture_;
  bool stale_ = true;
  const style::Colours* painted_colours_ = nullptr;
  double painted_scale_ = 0;
  QToolButton* menu_button_ = nullptr;
  QPointer<QMenu> menu_;
};

}  // namespace kernelscape::charts
