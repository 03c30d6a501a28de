#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows the details of the selected session or collection. Name, tags and note can be edited; they are saved
 * when the field loses focus, or with Enter (Ctrl+Enter in the note), and Esc reverts unsaved changes.
 * Updates of the session do not overwrite a text that is being edited.
 */
class SessionPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SessionPanel(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /**
   * Shows the selection; the fields edit one session or one collection. Unsaved text of the previous
   * selection is saved.
   */
  void show_selection(std::vector<workspace::SessionEntry> sessions,
                      std::vector<workspace::SessionCollection> collections);
  /** Moves the keyboard focus to the name and selects its text. */
  void edit_name();
  /** Moves the keyboard focus to the tags. */
  void edit_tags();

  QSize sizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /** The study or session that the fields edit; at least one of the two ids is 0. */
  using Subject = std::pair<store::StudyId, store::SessionId>;
  static Subject subject_of(const std::vector<workspace::SessionEntry>& sessions,
                            const std::vector<workspace::SessionCollection>& collections);

  QWidget* make_fields();
  void show_fields(bool another);
  void show_facts();
  void show_several();
  void save();
  void take_back();
  void suggest_tags();
  Subject subject() const { return subject_of(sessions_, collections_); }
  bool edits() const { return subject() != Subject(); }
  std::string& edited_name();
  store::SessionAnnotation& annotation();

  workspace::Workspace& workspace_;
  std::vector<workspace::SessionEntry> sessions_;
  std::vector<workspace::SessionCollection> collections_;
  QStackedWidget* pages_;
  widgets::ThemedLabel* hint_;
  QLineEdit* name_;
  QLineEdit* tags_;
  QPlainTextEdit* note_;
  widgets::ThemedLabel* best_;
  widgets::ThemedLabel*
      disturbed_;  ///< disturbances that the reader must know with every number; hidden if there are none
  QFormLayout* facts_layout_;
  std::vector<QLabel*> facts_;
};

/** Parses "fast, resnet" as tags: each tag once, without surrounding spaces. */
std::vector<std::string> parse_tags(const QString& text);

}  // namespace kernelscape::views
