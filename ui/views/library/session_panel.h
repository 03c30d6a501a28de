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

namespace kernelscape {

class ThemedLabel;

/**
 * What is known of the selected session or collection, with its name, tags and note to edit. They are saved
 * when the field is left, or with Enter (Ctrl+Enter in the note); Esc takes back what was not saved. What is
 * being written is not overwritten by news of the session.
 */
class SessionPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SessionPanel(Workspace& workspace, QWidget* parent = nullptr);

  /** What is selected; the fields stand for one session or one collection. What was written before is saved.
   */
  void show_selection(std::vector<SessionEntry> sessions, std::vector<SessionCollection> collections);
  /** The keyboard goes to the name, its text is selected. */
  void edit_name();
  /** The keyboard goes to the tags. */
  void edit_tags();

  QSize sizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /** What the fields stand for; one of both is 0, or both are. */
  using Subject = std::pair<StudyId, SessionId>;
  static Subject subject_of(const std::vector<SessionEntry>& sessions,
                            const std::vector<SessionCollection>& collections);

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
  SessionAnnotation& annotation();

  Workspace& workspace_;
  std::vector<SessionEntry> sessions_;
  std::vector<SessionCollection> collections_;
  QStackedWidget* pages_;
  ThemedLabel* hint_;
  QLineEdit* name_;
  QLineEdit* tags_;
  QPlainTextEdit* note_;
  ThemedLabel* best_;
  ThemedLabel* disturbed_;  ///< what no number should be read without; hidden where nothing is
  QFormLayout* facts_layout_;
  std::vector<QLabel*> facts_;
};

/** "fast, resnet" as tags: each once, without spaces around them. */
std::vector<std::string> parse_tags(const QString& text);

}  // namespace kernelscape
