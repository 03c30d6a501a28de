#pragma once

#include "core/analysis/error_breakdown.h"
#include "ui/figures/frequent_messages.h"
#include "ui/views/explore/explore_page.h"

class QLabel;
class QModelIndex;
class QPlainTextEdit;
class QTableView;

namespace kernelscape::charts {
class ErrorChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

class MessageModel;

/**
 * Shows the errors with their frequency and cost (NoSE, figure 3), and every distinct message with its first
 * trial.
 */
class ErrorsPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit ErrorsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  void follow_selection() override {}

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override {}
  void forget() override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_messages();
  void show_messages(Result<figures::FrequentMessages> messages);
  void show_text(const QModelIndex& index);
  void pick_category(trial::ErrorCategory category);
  void pick_message(const QModelIndex& index);

  charts::ErrorChart* chart_ = nullptr;
  QLabel* caption_ = nullptr;
  QTableView* table_ = nullptr;
  MessageModel* model_ = nullptr;
  QPlainTextEdit* text_ = nullptr;
};

}  // namespace kernelscape::views
