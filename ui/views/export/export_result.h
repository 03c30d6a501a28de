#pragma once

#include <QWidget>
#include <array>

#include "ui/views/export/export_plan.h"

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Shows what was exported and where, its warnings, and commands that use it; hidden until then. */
class ExportResult : public QWidget {
  Q_OBJECT

 public:
  explicit ExportResult(QWidget* parent = nullptr);

  /** Shows the result of an export. */
  void show_outcome(const ExportOutcome& outcome);

 private:
  /** A command with its title and the button that copies it. */
  struct CommandRow {
    QWidget* widget = nullptr;
    QLabel* title = nullptr;
    QLineEdit* text = nullptr;
    QToolButton* copy = nullptr;
  };

  QWidget* make_warnings();
  CommandRow make_command_row();
  static void show_command(const CommandRow& row, const ExportCommand& command);

  QString folder_;  ///< the folder with the results
  widgets::ThemedLabel* text_ = nullptr;
  QScrollArea* warnings_ = nullptr;
  widgets::ThemedLabel* warnings_text_ = nullptr;
  std::array<CommandRow, max_export_commands> commands_{};
};

}  // namespace kernelscape::views
