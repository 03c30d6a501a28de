#pragma once

#include <QDialog>
#include <QList>
#include <cstdint>

#include "core/base/result.h"
#include "ui/style/theme.h"

class QLayout;
class QLineEdit;
class QPushButton;

namespace kernelscape::widgets {

class ThemedLabel;

/**
 * A non-modal dialog that fills in a request to one of the window's runners, shows errors below the form, and
 * submits the request. It hides once the request is in the database.
 */
class RequestDialog : public QDialog {
  Q_OBJECT

 public:
  /** Returns the text below the form: what will be done, or what is wrong. */
  QString message() const;

 public slots:
  /** Submits the form, or shows below it what is wrong. */
  virtual void start() = 0;

 signals:
  /** Emitted when the request of this dialog is in the database. */
  void created(qint64 id);

 protected:
  RequestDialog(const QString& title, QWidget* parent);

  /**
   * Connects the runner's signals `created` and `refused`, which have the number of a request and an id or a
   * message.
   */
  template <typename Runner>
  void listen_to(const Runner& runner) {
    connect(&runner, &Runner::created, this, &RequestDialog::take_created);
    connect(&runner, &Runner::refused, this, &RequestDialog::take_refused);
  }
  /** Waits for the runner's answer. @param request the runner's number of the submitted request */
  void await(qint64 request) { awaited_ = request; }
  /** Returns true until the runner has answered. */
  bool awaiting() const { return awaited_ != 0; }
  /** Called when the runner has answered: another request may be submitted. */
  virtual void let_start_again() = 0;

  /** Shows a text below the form. */
  void notify(const QString& text, QColor style::Colours::* colour = &style::Colours::text);
  /** Shows a text below the form in the warning colour. */
  void show_problem(const QString& problem);
  /** Returns the seed of the form; InvalidArgument: it is not a whole number. */
  Result<std::uint64_t> seed() const;

  /** Returns the widget of the message, for the subclass's layout, which becomes its parent. */
  QWidget& message_line();
  QLineEdit& seed_line() { return *seed_; }        ///< Returns the field of the seed; "1" at first
  QPushButton& start_button() { return *start_; }  ///< Returns the start button, which `make_buttons` places
  /** Makes the row of buttons with Close and Start at the right. @param others buttons at the left */
  QLayout* make_buttons(const QList<QPushButton*>& others);
  /** Sets the size, larger with larger text, at most as large as the screen. @param size at text scale 1 */
  void set_usual_size(QSize size);

 private:
  void take_created(qint64 request, qint64 id);
  void take_refused(qint64 request, const QString& message);

  qint64 awaited_ = 0;  ///< the submitted request; 0: none
  ThemedLabel* message_;
  QLineEdit* seed_;
  QPushButton* start_;
};

}  // namespace kernelscape::widgets
