#pragma once

#include <QDialog>
#include <QList>
#include <cstdint>

#include "core/base/result.h"
#include "ui/style/theme.h"

class QLayout;
class QLineEdit;
class QPushButton;

namespace kernelscape {

class ThemedLabel;

/** A dialog that fills in what one of the window's runners is to do, says below the form what is wrong with
 * it, and hands it over. It hides once that is in the database. Not modal. */
class RequestDialog : public QDialog {
  Q_OBJECT

 public:
  /** What stands below the form: what is going to be done, or what is wrong. */
  QString message() const;

 public slots:
  /** Hands over what is filled in, or says below the form what is wrong. */
  virtual void start() = 0;

 signals:
  /** What was started here is in the database. */
  void created(qint64 id);

 protected:
  RequestDialog(const QString& title, QWidget* parent);

  /** The runner's `created` and `refused`, with the number of a request and an id or a message, are heard. */
  template <typename Runner>
  void listen_to(const Runner& runner) {
    connect(&runner, &Runner::created, this, &RequestDialog::take_created);
    connect(&runner, &Runner::refused, this, &RequestDialog::take_refused);
  }
  /** @param request the runner's number of what was handed over */
  void await(qint64 request) { awaited_ = request; }
  /** The runner has not answered yet. */
  bool awaiting() const { return awaited_ != 0; }
  /** The runner has answered: another request may be made. */
  virtual void let_start_again() = 0;

  /** Below the form. */
  void tell(const QString& text, QColor Colours::* colour = &Colours::text);
  /** The same in the colour of warnings. */
  void show_problem(const QString& problem);
  /** As filled in; InvalidArgument: it is no whole number. */
  Result<std::uint64_t> seed() const;

  /** Of the layouts: each has its parent from there. */
  QWidget& message_line();
  QLineEdit& seed_line() { return *seed_; }        ///< "1" at first
  QPushButton& start_button() { return *start_; }  ///< stands in `make_buttons`
  /** Close and Start at the right. @param others from the left */
  QLayout* make_buttons(const QList<QPushButton*>& others);

 private:
  void take_created(qint64 request, qint64 id);
  void take_refused(qint64 request, const QString& message);

  qint64 awaited_ = 0;  ///< the request that was handed over here; 0: none
  ThemedLabel* message_;
  QLineEdit* seed_;
  QPushButton* start_;
};

}  // namespace kernelscape
